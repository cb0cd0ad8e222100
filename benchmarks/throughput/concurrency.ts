import type pg from 'pg';
import { forgetPeak, peakMemoryMb } from '../process-memory.js';
import type { ThrowawayHome } from '../throwaway-home.js';
import { batchFigures, type BatchFigures } from './batch-figures.js';

export interface ConcurrencyFigures extends BatchFigures {
  backend: string;
  concurrent: number;
  /** Of the worker during the batch, MiB; null: not known here. */
  workerPeakMb: number | null;
}

/** So many scripted runs at once, each of `steps` commands that do next to nothing. */
export async function measureConcurrency(
  home: ThrowawayHome,
  database: pg.Client,
  { backend, concurrent, steps }: { backend: string; concurrent: number; steps: number },
): Promise<ConcurrencyFigures> {
  forgetPeak(home.pid('worker'));
  const { batchId } = await home.bench<{ batchId: string }>(
    ...['submit', '--models', `scripted:counter:${steps}`, '--tasks', 'battleOfSexes', '--backend', backend],
    ...['--attempts', String(concurrent), '--concurrency', String(concurrent), '--max-steps', String(steps + 1)],
    ...['--snapshot-every', '0', '--wait'],
  );
  const workerPeakMb = peakMemoryMb(home.pid('worker'));
  return { backend, concurrent, workerPeakMb, ...(await batchFigures(database, batchId)) };
}
