import { resolve } from 'node:path';
import { loadRecording } from '../../catalog/recordings.js';
import type { RunDetail } from '../../domain/views/runs.js';
import type { TrajectoryDocument } from '../../domain/views/trajectory.js';
import type { BenchHome } from './bench-home.js';
import { normalisedObservation } from './normalised-observation.js';

interface ReplayedStep {
  step: number;
  recordedAction: string;
  action: string | null;
  /** Null: not played. */
  same: boolean | null;
}

export interface Replayed {
  run: RunDetail;
  recorded: ReplayedStep[];
  /** How many observations are as recorded. */
  same: number;
  /** Steps that the run has beyond the recording. */
  added: number;
  scores: { recorded: (number | null)[]; now: (number | null)[] };
}

/** Plays a recording as the only run of a batch, and compares what its commands printed. */
export async function replayed(home: BenchHome, file: string, task: string, ...options: string[]): Promise<Replayed> {
  const { recording } = loadRecording(resolve(home.dir, file));
  const limit = options.includes('--max-steps') ? [] : ['--max-steps', String(recording.steps.length + 1)];
  const batch = await home.processJson<{ runs: { runId: string }[] }>(
    ...['submit', '--models', `replay:${file}`, '--tasks', task, '--attempts', '1', '--backend', 'docker'],
    ...[...limit, ...options, '--wait'],
  );
  const { runId } = batch.runs[0]!;
  const [run, { steps }] = [
    await home.json<RunDetail>('show', runId),
    await home.json<TrajectoryDocument>('trajectory', runId),
  ];
  const shown = (observation: string, workspace: string | null): string => {
    const text = normalisedObservation(observation, workspace);
    // MLGym shows no blank lines.
    return recording.format === 'mlgym' ? text.replace(/^\n+/gm, '').replace(/\n+$/, '') : text;
  };
  const recorded = recording.steps.map(({ action, observation }, at): ReplayedStep => {
    const now = steps[at];
    const same =
      now === undefined
        ? null
        : shown(now.observation ?? '', run.workspace) === shown(observation, recording.workspace);
    return { step: at + 1, recordedAction: action, action: now?.action ?? null, same };
  });
  const score = (metrics: Record<string, number>): number | null =>
    metrics[run.primary] ?? Object.values(metrics)[0] ?? null;
  return {
    run,
    recorded,
    same: recorded.filter(({ same }) => same === true).length,
    added: Math.max(0, steps.length - recorded.length),
    scores: {
      recorded: recording.scores.map(score),
      now: run.evaluationList.filter(({ status }) => status === 'ok').map(({ primary }) => primary),
    },
  };
}
