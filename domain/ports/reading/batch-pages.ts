import type { BatchHead, BatchMatrix, BatchPage, BatchRow, BatchSpend } from '../../views/batch-pages.js';
import type { RunSummary } from '../../views/runs.js';

export interface BatchPageRequest {
  status?: readonly string[] | undefined;
  origin?: readonly string[] | undefined;
  text?: string | undefined;
  after?: string | undefined;
  limit: number;
}

export type ForecastRun = Pick<
  RunSummary,
  'model' | 'task' | 'status' | 'endReason' | 'steps' | 'maxSteps' | 'costUsd' | 'startedAt' | 'endedAt'
>;

type PlayedMatrix = Omit<BatchMatrix, 'cells'> & { cells: Omit<BatchMatrix['cells'][number], 'forecast'>[] };

export interface BatchPages {
  batchPage(request: BatchPageRequest): Promise<BatchPage>;
  batchRows(batchIds: readonly string[]): Promise<BatchRow[]>;
  batchHead(batchId: string): Promise<Omit<BatchHead, 'forecast'>>;
  batchMatrix(batchId: string): Promise<PlayedMatrix>;
  spendBuckets(batchId: string, buckets: number): Promise<Omit<BatchSpend, 'forecast'>>;
  concurrencyOf(batchId: string): Promise<number>;
  forecastRuns(batchId: string): Promise<ForecastRun[]>;
}
