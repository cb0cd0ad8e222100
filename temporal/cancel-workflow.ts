import type { Client } from '@temporalio/client';

/** Asks a workflow to stop. False: it does not run. */
export async function cancelWorkflow(client: Client, workflowId: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(workflowId).cancel();
    return true;
  } catch (error) {
    // By name: the client's classes are loaded on first use.
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return false;
    throw error;
  }
}
