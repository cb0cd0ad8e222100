import { startBatchWorkflow } from '../../temporal/start-batch.js';
import type { Bench } from '../bench.js';

/** Starts a batch's workflow for its unfinished runs, or signals the running one to reread its rows. */
export const startBatch = async (bench: Bench, batchId: string): Promise<void> =>
  startBatchWorkflow(await bench.temporal(), { batchId });
