import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { RunTicket } from '../domain/run/run.js';
import { startRunWorkflow } from './start-run.js';

/** Starts the run's workflow, unless it is running or has succeeded, and cancels it at once. */
export async function startCancelledRun(client: Client, ticket: RunTicket): Promise<void> {
  const handle = await startRunWorkflow(client, ticket);
  try {
    await handle.cancel();
  } catch (error) {
    // It has ended by itself since its row was read.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
