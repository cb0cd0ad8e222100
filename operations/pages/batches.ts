import type { BatchPages } from '../../domain/ports/reading/batch-pages.js';
import type { BatchHead, BatchMatrix, BatchSpend } from '../../domain/views/batch-pages.js';
import { forecast } from '../results/forecast.js';
import { batchIdOf, type FindBatchPorts } from './resolve.js';

type ForecastPages<Part extends keyof BatchPages> = FindBatchPorts & {
  pages: Pick<BatchPages, Part | 'forecastRuns'>;
};

export async function batchHead(ports: ForecastPages<'batchHead'>, ref: string): Promise<BatchHead> {
  const { pages } = ports;
  const batchId = await batchIdOf(ports, ref);
  const [head, runs] = await Promise.all([pages.batchHead(batchId), pages.forecastRuns(batchId)]);
  return { ...head, forecast: forecast(runs, head.batch.concurrency, Date.now()) };
}

export async function batchMatrix(
  ports: ForecastPages<'batchMatrix' | 'concurrencyOf'>,
  ref: string,
): Promise<BatchMatrix> {
  const { pages } = ports;
  const batchId = await batchIdOf(ports, ref);
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

/** Spend over time in this many intervals, with a forecast. */
export async function batchSpend(
  ports: ForecastPages<'spendBuckets' | 'concurrencyOf'>,
  ref: string,
  buckets: number,
): Promise<BatchSpend> {
  const { pages } = ports;
  const batchId = await batchIdOf(ports, ref);
  const [spend, runs, concurrency] = await Promise.all([
    pages.spendBuckets(batchId, buckets),
    pages.forecastRuns(batchId),
    pages.concurrencyOf(batchId),
  ]);
  return { ...spend, forecast: forecast(runs, concurrency, Date.now()) };
}
