import type { RunReads } from '../../domain/ports/reading/runs.js';
import type { RunDetail } from '../../domain/views/runs.js';

/** One run in full, by its id or an unambiguous part of it. */
export async function showRun(
  { queries }: { queries: Pick<RunReads, 'findRun' | 'showRun'> },
  ref: string,
): Promise<RunDetail> {
  return queries.showRun((await queries.findRun(ref)).runId);
}
