import type { Client } from '@temporalio/client';
import type { RunTicket } from '../domain/run.js';
import { CONTROL_QUEUE, runWorkflowId } from '../domain/queues.js';

/** Starts the run's workflow, unless it runs or has succeeded, and cancels it at once. */
export async function startCancelledRun(client: Client, ticket: RunTicket): Promise<void> {
  const handle = await client.workflow.start('run', {
    workflowId: runWorkflowId(ticket.runId),
    taskQueue: CONTROL_QUEUE,
    args: [ticket],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
  await handle.cancel();
}
