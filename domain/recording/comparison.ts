import type { Recording } from './recording.js';
import { CauseFinder, type CauseName } from './causes.js';
import { normalisedObservation } from './normalise.js';
import { REFUSED_STAND_IN } from './reply.js';
import type { StepRecord } from '../run/run.js';

/**
 * `refused`: this agent's blocklist refused the recorded command. `unfinished`: the command has no output (yet). `not_played`: the run
 * ended before. `added`: past the recording's end.
 */
export type ReplayedStepState = 'same' | 'diverges' | 'refused' | 'unfinished' | 'not_played' | 'added';

/** The first line in which two normalised observations differ; null on the side that has no such line. */
interface Difference {
  /** From 1. */
  line: number;
  recorded: string | null;
  now: string | null;
}

export interface ReplayedStep {
  step: number;
  action: string;
  state: ReplayedStepState;
  /** Only of steps that diverge. */
  difference: Difference | null;
  /** Of steps that are neither the same nor added. */
  cause: CauseName | null;
}

export interface ReplayComparison {
  /** Recorded replies. */
  recorded: number;
  same: number;
  diverged: number;
  refused: number;
  notPlayed: number;
  steps: ReplayedStep[];
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replaceAll('\r\n', '\n').split('\n'));

function firstDifference(recorded: string, now: string): Difference | null {
  const [before, after] = [linesOf(recorded), linesOf(now)];
  const length = Math.max(before.length, after.length);
  for (let at = 0; at < length; at += 1) {
    if (before[at] !== after[at]) return { line: at + 1, recorded: before[at] ?? null, now: after[at] ?? null };
  }
  return null;
}

/** What became of each recorded step in a run that played it, and of the steps that the run added. */
export function compareWithRecording(
  recording: Recording,
  played: readonly Pick<StepRecord, 'step' | 'action' | 'observation'>[],
  workspace: string | null,
): ReplayComparison {
  const shown = (observation: string, place: string | null): string => {
    const text = normalisedObservation(observation, place);
    // MLGym shows no blank lines.
    return recording.format === 'mlgym' ? text.replace(/^\n+/gm, '').replace(/\n+$/, '') : text;
  };
  const causes = new CauseFinder();
  const byStep = new Map(played.map((step) => [step.step, step]));
  const recorded = recording.steps.map((step, at): ReplayedStep => {
    const now = byStep.get(at + 1);
    const row = { step: at + 1, action: step.action, difference: null };
    if (now === undefined) return { ...row, state: 'not_played', cause: 'not_played' };
    if (now.action === REFUSED_STAND_IN && step.action !== REFUSED_STAND_IN) {
      causes.next(REFUSED_STAND_IN, step.observation, '');
      return { ...row, state: 'refused', cause: 'refused' };
    }
    if (now.observation === null) return { ...row, state: 'unfinished', cause: 'unfinished' };
    const before = shown(step.observation, recording.workspace);
    const after = shown(now.observation, workspace);
    const cause = causes.next(step.action, before, after);
    return { ...row, difference: firstDifference(before, after), cause, state: cause === null ? 'same' : 'diverges' };
  });
  const added = played
    .filter(({ step }) => step > recording.steps.length)
    .map(({ step, action }): ReplayedStep => ({
      step,
      action: action ?? '',
      state: 'added',
      difference: null,
      cause: null,
    }));
  const count = (state: ReplayedStepState): number => recorded.filter((step) => step.state === state).length;
  return {
    recorded: recorded.length,
    same: count('same'),
    diverged: count('diverges'),
    refused: count('refused'),
    notPlayed: count('not_played'),
    steps: [...recorded, ...added],
  };
}

/** The primary metric in metrics that may have been written under another name: by itself if it is the only one. */
export function recordedPrimary(metrics: Record<string, number>, primary: string): number | null {
  const exact = metrics[primary];
  if (exact !== undefined) return exact;
  const values = Object.values(metrics);
  return values.length === 1 ? (values[0] ?? null) : null;
}
