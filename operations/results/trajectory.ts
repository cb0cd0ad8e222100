import type { RunReads } from '../../domain/ports/reading/runs.js';
import type { TrajectoryReads } from '../../domain/ports/reading/trajectories.js';
import { checkedRequest } from '../../domain/requests/checked.js';
import { type TrajectoryRequest, trajectoryRequestSchema } from '../../domain/requests/reading.js';
import type { RunDetail } from '../../domain/views/runs.js';
import type { TrajectoryStep } from '../../domain/views/trajectory.js';
import { showRun } from './show-run.js';

export async function trajectory(
  ports: { queries: Pick<RunReads, 'findRun' | 'showRun'> & Pick<TrajectoryReads, 'trajectory'> },
  ref: string,
  request: TrajectoryRequest = {},
): Promise<{ run: RunDetail; steps: TrajectoryStep[] }> {
  const { from } = checkedRequest(trajectoryRequestSchema, request);
  const run = await showRun(ports, ref);
  return { run, steps: await ports.queries.trajectory(run.runId, from - 1) };
}
