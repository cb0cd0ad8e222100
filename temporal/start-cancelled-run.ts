import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { RunTicket } from '../domain/run/run.js';
import { startRunWorkflow } from './start-run.js';

/** Unless it is running or has succeeded; then cancels it at once. */
export async function startCancelledRun(client: Client, ticket: RunTicket): Promise<void> {
  const handle = await startRunWorkflow(client, ticket);
  try {
    await handle.cancel();
  } catch (error) {
    // It ended since its row was read.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
