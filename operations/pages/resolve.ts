import type { BatchReads } from '../../domain/ports/reading/batches.js';
import type { RunReads } from '../../domain/ports/reading/runs.js';

export interface FindRunPorts {
  queries: Pick<RunReads, 'findRun'>;
}
export interface FindBatchPorts {
  queries: Pick<BatchReads, 'findBatch'>;
}

/** Whole ids need no query, which would read all runs to find one by a part of its id. */
const WHOLE = /^[br]-[0-9a-hjkmnp-tv-z]{26}$/;

export async function runIdOf({ queries }: FindRunPorts, ref: string): Promise<string> {
  return WHOLE.test(ref) ? ref : (await queries.findRun(ref)).runId;
}

export async function batchIdOf({ queries }: FindBatchPorts, ref: string): Promise<string> {
  return WHOLE.test(ref) ? ref : (await queries.findBatch(ref)).batchId;
}
