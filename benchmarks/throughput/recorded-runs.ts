import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type pg from 'pg';
import type { ServiceEndpoints } from '../../domain/home/services.js';
import { peakMemoryMb } from '../process-memory.js';
import type { ThrowawayHome } from '../throwaway-home.js';
import { batchFigures, type BatchFigures } from './batch-figures.js';
import { withStubbedWorker } from './with-stubbed-worker.js';

export interface RecordedFigures extends BatchFigures {
  recordings: number;
  workerPeakMb: number | null;
}

export function trajectoriesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.traj') && statSync(join(dir, name)).isFile())
    .sort()
    .map((name) => join(resolve(dir), name));
}

/** Replays recorded runs; their commands do nothing. `home` needs BENCH_WORKER=external. */
export async function measureRecordedRuns(
  home: ThrowawayHome,
  database: pg.Client,
  endpoints: ServiceEndpoints,
  { recordings, attempts, concurrent }: { recordings: string[]; attempts: number; concurrent: number },
): Promise<RecordedFigures> {
  return withStubbedWorker(home, endpoints, async (workerPid) => {
    const { batchId } = await home.bench<{ batchId: string }>(
      ...['submit', '--models', recordings.map((file) => `replay:${file}`).join(','), '--tasks', 'battleOfSexes'],
      ...['--backend', 'local', '--attempts', String(attempts), '--concurrency', String(concurrent)],
      ...['--max-steps', '100', '--snapshot-every', '0', '--wait'],
    );
    const workerPeakMb = peakMemoryMb(workerPid);
    return { recordings: recordings.length, workerPeakMb, ...(await batchFigures(database, batchId)) };
  });
}
