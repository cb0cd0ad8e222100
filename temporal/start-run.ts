import { type Client, type WorkflowHandle, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { CONTROL_QUEUE, runWorkflowId } from '../domain/run/queues.js';
import type { RunTicket } from '../domain/run/run.js';

/** Unless it runs or has succeeded. `evenIfCompleted`: PostgreSQL has lost the success. */
export async function startRunWorkflow(
  client: Client,
  ticket: RunTicket,
  { evenIfCompleted = false } = {},
): Promise<WorkflowHandle> {
  const workflowId = runWorkflowId(ticket.runId);
  try {
    return await client.workflow.start(ticket.search === true ? 'search' : 'run', {
      workflowId,
      taskQueue: CONTROL_QUEUE,
      args: [ticket],
      workflowIdReusePolicy: evenIfCompleted ? 'ALLOW_DUPLICATE' : 'ALLOW_DUPLICATE_FAILED_ONLY',
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
  } catch (error) {
    // It has succeeded since the caller read its row.
    if (error instanceof WorkflowExecutionAlreadyStartedError) return client.workflow.getHandle(workflowId);
    throw error;
  }
}
