import type { Client } from '@temporalio/client';
import { SIGNAL } from '../domain/model/messages.js';
import { batchWorkflowId } from '../domain/run/queues.js';

/** Makes the batch's workflow reread its rows. One that is not running needs no signal. */
export async function notifyBatch(client: Client, batchId: string): Promise<void> {
  try {
    await client.workflow.getHandle(batchWorkflowId(batchId)).signal(SIGNAL.batchChanged);
  } catch (error) {
    // Compared by name: the client's classes are loaded on first use.
    if (!(error instanceof Error && error.name === 'WorkflowNotFoundError')) throw error;
  }
}
