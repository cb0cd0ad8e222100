import type { Client } from '@temporalio/client';
import { startBatchWorkflow } from '../../temporal/start-batch.js';

/**
 * Starts a batch's workflow for its unfinished runs, or signals the running one to reread its rows.
 */
export const startBatch = async (ports: { temporal(): Promise<Client> }, batchId: string): Promise<void> =>
  startBatchWorkflow(await ports.temporal(), { batchId });
