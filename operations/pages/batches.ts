import type { BatchHead, BatchMatrix, BatchSpend } from '../../domain/views/batch-pages.js';
import type { Bench } from '../bench.js';
import { forecast } from '../results/forecast.js';
import { batchIdOf } from './resolve.js';

/** A batch without its runs, with what is still to come of it. */
export async function batchHead(bench: Pick<Bench, 'database'>, ref: string): Promise<BatchHead> {
  const { pages } = await bench.database();
  const batchId = await batchIdOf(bench, ref);
  const [head, runs] = await Promise.all([pages.batchHead(batchId), pages.forecastRuns(batchId)]);
  return { ...head, forecast: forecast(runs, head.batch.concurrency, Date.now()) };
}

/** Its models by its tasks, each cell with what is still to come of it. */
export async function batchMatrix(bench: Pick<Bench, 'database'>, ref: string): Promise<BatchMatrix> {
  const { pages } = await bench.database();
  const batchId = await batchIdOf(bench, ref);
  const [matrix, runs, head] = await Promise.all([
    pages.batchMatrix(batchId),
    pages.forecastRuns(batchId),
    pages.batchHead(batchId),
  ]);
  const now = Date.now();
  return {
    ...matrix,
    cells: matrix.cells.map((cell) => {
      const own = runs.filter((run) => run.model === cell.model && run.task === cell.task);
      return { ...cell, forecast: forecast(own, head.batch.concurrency, now, runs) };
    }),
  };
}

export async function batchSpend(bench: Pick<Bench, 'database'>, ref: string, buckets: number): Promise<BatchSpend> {
  const { pages } = await bench.database();
  const batchId = await batchIdOf(bench, ref);
  const [spend, runs, head] = await Promise.all([
    pages.spendBuckets(batchId, buckets),
    pages.forecastRuns(batchId),
    pages.batchHead(batchId),
  ]);
  return { ...spend, forecast: forecast(runs, head.batch.concurrency, Date.now()) };
}
