import { BenchError } from '../../domain/errors.js';
import type { Bench } from '../bench.js';
import type { BatchSummary } from '../../domain/views/batches.js';
import type { RunSummary } from '../../domain/views/runs.js';

export type FoundRunOrBatch = { kind: 'run'; run: RunSummary } | { kind: 'batch'; batch: BatchSummary };

/** What an id, a part of one, or a name means, where both runs and batches will do. */
export async function findRunOrBatch(bench: Bench, ref: string): Promise<FoundRunOrBatch> {
  const { queries } = await bench.database();
  if (ref.startsWith('r-')) return { kind: 'run', run: await queries.findRun(ref) };
  if (ref.startsWith('b-')) return { kind: 'batch', batch: await queries.findBatch(ref) };
  try {
    return { kind: 'batch', batch: await queries.findBatch(ref) };
  } catch (error) {
    if (!(error instanceof BenchError) || error.type !== 'not_found') throw error;
    try {
      return { kind: 'run', run: await queries.findRun(ref) };
    } catch (second) {
      if (!(second instanceof BenchError) || second.type !== 'not_found') throw second;
      throw new BenchError('not_found', `neither a batch nor a run is called ${JSON.stringify(ref)}`, {
        code: 'id.not_found',
        remedy: '`bench status` and `bench runs` list what there is; an id may be cut to its first or last characters.',
      });
    }
  }
}
