import type { RunDetail } from '../../domain/views/runs.js';
import type { Bench } from '../bench.js';

/** One run in full, by its id or an unambiguous part of it. */
export async function showRun(bench: Bench, ref: string): Promise<RunDetail> {
  const { queries } = await bench.database();
  return queries.showRun((await queries.findRun(ref)).runId);
}
