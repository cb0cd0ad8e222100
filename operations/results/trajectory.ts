import { checkedRequest } from '../../domain/requests/checked.js';
import { type TrajectoryRequest, trajectoryRequestSchema } from '../../domain/requests/reading.js';
import type { RunDetail } from '../../domain/views/runs.js';
import type { TrajectoryStep } from '../../domain/views/trajectory.js';
import type { Bench } from '../bench.js';
import { showRun } from './show-run.js';

/** A run with its steps in order, from this one on. */
export async function trajectory(
  bench: Bench,
  ref: string,
  request: TrajectoryRequest = {},
): Promise<{ run: RunDetail; steps: TrajectoryStep[] }> {
  const { from } = checkedRequest(trajectoryRequestSchema, request);
  const run = await showRun(bench, ref);
  const { queries } = await bench.database();
  return { run, steps: await queries.trajectory(run.runId, from - 1) };
}
