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
  const [matrix, runs, concurrency] = await Promise.all([
    pages.batchMatrix(batchId),
    pages.forecastRuns(batchId),
    pages.concurrencyOf(batchId),
  ]);
  const now = Date.now();
  const byCell = new Map<string, typeof runs>();
  const cellOf = ({ model, task }: { model: string; task: string }): string => JSON.stringify([model, task]);
  for (const run of runs) {
    const own = byCell.get(cellOf(run));
    if (own === undefined) byCell.set(cellOf(run), [run]);
    else own.push(run);
  }
  return {
    ...matrix,
    cells: matrix.cells.map((cell) => ({
      ...cell,
      forecast: forecast(byCell.get(cellOf(cell)) ?? [], concurrency, now, runs),
    })),
  };
}

export async function batchSpend(bench: Pick<Bench, 'database'>, ref: string, buckets: number): Promise<BatchSpend> {
  const { pages } = await bench.database();
  const batchId = await batchIdOf(bench, ref);
  const [spend, runs, concurrency] = await Promise.all([
    pages.spendBuckets(batchId, buckets),
    pages.forecastRuns(batchId),
    pages.concurrencyOf(batchId),
  ]);
  return { ...spend, forecast: forecast(runs, concurrency, Date.now()) };
}
