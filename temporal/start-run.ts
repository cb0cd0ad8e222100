import type { Client, WorkflowHandle } from '@temporalio/client';
import { CONTROL_QUEUE, runWorkflowId } from '../domain/queues.js';
import type { RunTicket } from '../domain/run.js';

/** Starts the workflow of one run, unless it runs or has succeeded. */
export async function startRunWorkflow(client: Client, ticket: RunTicket): Promise<WorkflowHandle> {
  return client.workflow.start('run', {
    workflowId: runWorkflowId(ticket.runId),
    taskQueue: CONTROL_QUEUE,
    args: [ticket],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
}
