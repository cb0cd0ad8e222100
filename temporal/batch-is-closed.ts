import type { Client } from '@temporalio/client';
import { batchWorkflowId } from '../domain/queues.js';

/** Whether the batch's workflow has ended, or never was. Rejects when the server cannot say. */
export async function batchIsClosed(client: Client, batchId: string): Promise<boolean> {
  try {
    const { status } = await client.workflow.getHandle(batchWorkflowId(batchId)).describe();
    return status.name !== 'RUNNING';
  } catch (error) {
    // By name: the client's classes are loaded on first use.
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return true;
    throw error;
  }
}
