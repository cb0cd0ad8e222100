import type { RunReads } from '../../domain/ports/reading/runs.js';
import type { TrajectoryReads } from '../../domain/ports/reading/trajectories.js';
import { BenchError } from '../../domain/errors.js';
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
  const steps = await ports.queries.trajectory(run.runId, from - 1);
  // Who follows a run asks for steps to come; an ended run has none.
  if (steps.length === 0 && from > 1 && run.status === 'ended')
    throw new BenchError('usage', `run ${run.runId} has no step ${from}: it has taken ${run.steps}`, {
      code: 'step.not_found',
      remedy: run.steps === 0 ? undefined : `Choose one of its steps, up to ${run.steps}.`,
      fields: { from: '<step>' },
    });
  return { run, steps };
}
