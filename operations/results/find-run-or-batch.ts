import { BenchError } from '../../domain/errors.js';
import type { BatchReads } from '../../domain/ports/reading/batches.js';
import type { RunReads } from '../../domain/ports/reading/runs.js';
import type { BatchSummary } from '../../domain/views/batches.js';
import type { RunSummary } from '../../domain/views/runs.js';

export interface FindPorts {
  queries: Pick<BatchReads, 'findBatch'> & Pick<RunReads, 'findRun'>;
}

export type FoundRunOrBatch = { kind: 'run'; run: RunSummary } | { kind: 'batch'; batch: BatchSummary };

/** Null if there is none; an ambiguous reference remains an error. */
async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof BenchError && /^(batch|run)\.not_found$/.test(error.code)) return null;
    throw error;
  }
}

/** By id, a part of one, or a batch's name. BenchError (not_found): none, or several. */
export async function findRunOrBatch({ queries }: FindPorts, ref: string): Promise<FoundRunOrBatch> {
  if (ref.startsWith('r-')) return { kind: 'run', run: await queries.findRun(ref) };
  if (ref.startsWith('b-')) return { kind: 'batch', batch: await queries.findBatch(ref) };
  const batch = await orNull(queries.findBatch(ref));
  if (batch?.name === ref) return { kind: 'batch', batch };
  const run = await orNull(queries.findRun(ref));
  if (batch !== null && run !== null)
    throw new BenchError('not_found', `${JSON.stringify(ref)} matches a batch and a run`, {
      code: 'id.ambiguous',
      remedy: `Type more of the id. Candidates: ${batch.batchId}, ${run.runId}.`,
    });
  if (batch !== null) return { kind: 'batch', batch };
  if (run !== null) return { kind: 'run', run };
  throw new BenchError('not_found', `no batch or run ${JSON.stringify(ref)}`, {
    code: 'id.not_found',
    remedy: '`bench batches` and `bench runs` list them; the first or last characters of an id are enough.',
  });
}
