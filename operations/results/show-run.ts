import type { RunReads } from '../../domain/ports/reading/runs.js';
import type { RunDetail } from '../../domain/views/runs.js';

export async function showRun(
  { queries }: { queries: Pick<RunReads, 'findRun' | 'showRun'> },
  ref: string,
): Promise<RunDetail> {
  return queries.showRun((await queries.findRun(ref)).runId);
}
