import type { Client } from '@temporalio/client';
import { SIGNAL } from '../domain/messages.js';
import { batchWorkflowId } from '../domain/queues.js';

/** Tells the batch's workflow to look at its rows again. One that does not run starts nothing anyhow. */
export async function tellBatch(client: Client, batchId: string): Promise<void> {
  try {
    await client.workflow.getHandle(batchWorkflowId(batchId)).signal(SIGNAL.batchChanged);
  } catch (error) {
    // By name: the client's classes are loaded on first use.
    if (!(error instanceof Error && error.name === 'WorkflowNotFoundError')) throw error;
  }
}
