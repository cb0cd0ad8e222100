import { BenchError } from '../../domain/errors.js';
import type { RunReads } from '../../domain/ports/reading/runs.js';
import type { TrajectoryReads } from '../../domain/ports/reading/trajectories.js';
import type { RunDefinitions } from '../../domain/ports/record/run-definitions.js';
import { compareWithRecording, recordedPrimary } from '../../domain/recording/comparison.js';
import type { ReplayReport } from '../../domain/views/replay.js';

export interface ReplayReportPorts {
  queries: Pick<RunReads, 'findRun' | 'showRun'> & Pick<TrajectoryReads, 'trajectory'>;
  store: Pick<RunDefinitions, 'definition'>;
}

/** Compares a run with the recording that it plays; one that is not over, so far. BenchError (usage): it plays none. */
export async function replayReport({ queries, store }: ReplayReportPorts, ref: string): Promise<ReplayReport> {
  const { runId } = await queries.findRun(ref);
  const [run, definition, steps] = await Promise.all([
    queries.showRun(runId),
    store.definition(runId),
    queries.trajectory(runId),
  ]);
  const { recording, model: hash } = definition.model;
  if (recording === undefined)
    throw new BenchError('usage', `run ${runId} of ${run.model} does not play a recording`, {
      code: 'recording.not_found',
      remedy: 'Play one with `bench replay <file>`: a `.traj`, or the JSON of `bench trajectory <run>`.',
      fields: { task: '<id>' },
    });
  const evaluations = run.evaluationList.filter(({ status }) => status === 'ok');
  return {
    runId,
    batchId: run.batchId,
    model: run.model,
    recording: { hash, format: recording.format, omitted: recording.omitted, endedBy: recording.endedBy },
    task: run.task,
    agent: run.agent,
    backend: run.backend,
    status: run.status,
    endReason: run.endReason,
    finalEvaluation: run.finalEvaluation,
    exitStatus: run.exitStatus,
    detail: run.detail,
    scores: {
      primary: run.primary,
      direction: run.direction,
      recorded: recording.scores.map((metrics) => recordedPrimary(metrics, run.primary)),
      now: evaluations.map(({ primary }) => primary),
    },
    ...compareWithRecording(recording, steps, run.workspace),
  };
}
