import { startBatchWorkflow } from '../../temporal/start-batch.js';
import type { Bench } from '../bench.js';

/** Starts a batch's workflow for what is unfinished, or tells the one that runs to look again. */
export const startBatch = async (bench: Bench, batchId: string): Promise<void> =>
  startBatchWorkflow(await bench.temporal(), { batchId });
