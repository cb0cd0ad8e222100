import type { RunDetail } from '../../domain/views/runs.js';
import type { TrajectoryStep } from '../../domain/views/trajectory.js';
import type { Bench } from '../bench.js';
import { showRun } from './show-run.js';

/** A run with its steps in order, from this one on. */
export async function trajectory(
  bench: Bench,
  ref: string,
  from = 1,
): Promise<{ run: RunDetail; steps: TrajectoryStep[] }> {
  const run = await showRun(bench, ref);
  const { queries } = await bench.database();
  return { run, steps: await queries.trajectory(run.runId, from - 1) };
}
