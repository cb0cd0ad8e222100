import type { Client } from '@temporalio/client';
import type { RunTicket } from '../domain/run.js';
import { startRunWorkflow } from './start-run.js';

/** Starts the run's workflow, unless it is running or has succeeded, and cancels it at once. */
export async function startCancelledRun(client: Client, ticket: RunTicket): Promise<void> {
  const handle = await startRunWorkflow(client, ticket);
  await handle.cancel();
}
