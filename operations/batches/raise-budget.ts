import type { Bench } from '../bench.js';
import { continueStopped } from './continue-stopped.js';

/** Gives a batch a larger budget in all. `again`: runs that the old one ended, and that go on now. */
export async function raiseBudget(
  bench: Bench,
  ref: string,
  budgetUsd: string,
): Promise<{ batchId: string; again: number }> {
  await bench.renewWorker();
  const { queries, batchControl } = await bench.database();
  const { batchId } = await queries.findBatch(ref);
  await batchControl.raiseBudget(batchId, budgetUsd);
  return { batchId, again: await continueStopped(bench, batchId) };
}
