import type { Client } from '@temporalio/client';

/** False: it is not running. */
export async function cancelWorkflow(client: Client, workflowId: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(workflowId).cancel();
    return true;
  } catch (error) {
    // Compared by name: the client's classes are loaded on first use.
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return false;
    throw error;
  }
}
