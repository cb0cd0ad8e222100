import type { Client } from '@temporalio/client';
import { batchWorkflowId } from '../domain/run/queues.js';

/** True also if it never existed. Rejects when the server does not answer. */
export async function batchIsClosed(client: Client, batchId: string): Promise<boolean> {
  try {
    const { status } = await client.workflow.getHandle(batchWorkflowId(batchId)).describe();
    return status.name !== 'RUNNING';
  } catch (error) {
    // Compared by name: the client's classes are loaded on first use.
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return true;
    throw error;
  }
}
