import type { Bench } from '../bench.js';

/** Whole ids are taken as they are: to look for one among parts of ids reads all runs. */
const WHOLE = /^[br]-[0-9a-hjkmnp-tv-z]{26}$/;

/** A run's id, of it or an unambiguous part of it. */
export async function runIdOf(bench: Pick<Bench, 'database'>, ref: string): Promise<string> {
  return WHOLE.test(ref) ? ref : (await (await bench.database()).queries.findRun(ref)).runId;
}

/** A batch's id, of it, its name or an unambiguous part of it. */
export async function batchIdOf(bench: Pick<Bench, 'database'>, ref: string): Promise<string> {
  return WHOLE.test(ref) ? ref : (await (await bench.database()).queries.findBatch(ref)).batchId;
}
