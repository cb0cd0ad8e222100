import { type EndReason, type FinalEvaluation, mlgymExitStatus } from '../run/outcomes.js';
import type { EvaluationKind, EvaluationStatus } from '../run/run.js';
import type { Metrics } from '../run/score.js';

/** For the player: on the shown split, never on a hidden one. */
interface ShownEvaluation {
  /** `<run>/<step>/<kind>`: an evaluation pays once. */
  id: string;
  kind: EvaluationKind;
  status: EvaluationStatus;
  valid: boolean;
  metrics: Metrics | null;
  primary: number | null;
  /** Of the starter's submission; null: not measured. */
  baseline: number | null;
  /** Gain over the baseline, in reward units; null: does not count. */
  gain: number | null;
}

/** An internal fault: never a reward. */
interface EpisodeFault {
  /** An end without the player's fault, or a missing score that could have counted. */
  reason: EndReason | 'evaluator_error' | 'no_baseline';
  detail: string | null;
}

/** Outcome of one action. Final once stored: a repeated request gets the same one. */
export interface EpisodeOutcome {
  seq: number;
  step: number;
  /** The policy's whole message. */
  message: string;
  reward: number | null;
  rewardParts: Record<string, number>;
  terminated: boolean;
  truncated: boolean;
  /** MLGym's name of the end; null: the episode continues. */
  exitStatus: string | null;
  endReason: EndReason | null;
  fault: EpisodeFault | null;
  /** Not a command: nothing was executed. */
  formatError: boolean;
  output: string | null;
  exitCode: number | null;
  timedOut: boolean;
  /** Omitted from the middle of the output. */
  truncatedBytes: number;
  remainingSteps: number;
  /** Null or absent: unlimited. */
  remainingValidations?: number | null;
  evaluation: ShownEvaluation | null;
}

export interface ActionProgress {
  seq: number;
  step: number;
  try: number;
  settled: EpisodeOutcome | null;
  /** The next turn: the policy is asked again. */
  next: { step: number; try: number; message: string } | null;
  run: {
    ended: boolean;
    endReason: EndReason | null;
    finalEvaluation: FinalEvaluation | null;
    detail: string | null;
    maxSteps: number;
    /** Null or absent: no limit. */
    validationsLeft?: number | null;
  };
  record: {
    action: string | null;
    observation: string | null;
    exitCode: number | null;
    timedOut: boolean;
    outputBytes: number | null;
  } | null;
  evaluations: ShownEvaluation[];
}

/** The step's present reward, and its part already paid. */
export interface StepReward {
  reward: number | null;
  parts: Record<string, number>;
  /** Parts already paid to earlier actions; null: none. */
  given: Record<string, number> | null;
  /** Parts that are paid again, and reported even if 0. */
  again?: readonly string[];
  /** Why an ended episode has no reward; null or absent: it has one, or continues. */
  fault?: EpisodeFault['reason'] | null;
}

export const isOver = (progress: ActionProgress): boolean => progress.next !== null || progress.run.ended;

const TERMINAL: readonly EndReason[] = ['submit', 'forfeit'];

/** `keptBytes`: limit on the kept output. */
export function outcomeOf(progress: ActionProgress, reward: StepReward): EpisodeOutcome {
  const { seq, step, next, run, record, evaluations } = progress;
  const formatError = next === null ? record?.action === null : next.step === step;
  const done = next === null;
  const fault = done ? faultOf(run, reward.fault ?? null) : null;
  const evaluation =
    formatError && !done
      ? null
      : (evaluations.find(({ kind }) => (kind !== 'validate') === done) ?? evaluations.at(-1) ?? null);
  const parts = fault === null ? ownParts(reward) : {};
  const paid = Object.keys(parts).length === 0 ? null : difference(reward);
  return {
    seq,
    step,
    message: next?.message ?? lastMessage(run, record?.observation ?? null),
    reward: paid,
    rewardParts: paid === null ? {} : parts,
    terminated: done && fault === null && run.endReason !== null && TERMINAL.includes(run.endReason),
    truncated: done && fault === null && run.endReason !== null && !TERMINAL.includes(run.endReason),
    exitStatus:
      done && run.endReason !== null
        ? mlgymExitStatus(run.endReason, run.finalEvaluation ?? 'not_run') || run.endReason
        : null,
    endReason: done ? run.endReason : null,
    fault,
    formatError,
    output: formatError ? null : (record?.observation ?? null),
    exitCode: formatError ? null : (record?.exitCode ?? null),
    timedOut: !formatError && record?.timedOut === true,
    truncatedBytes: formatError
      ? 0
      : Math.max(0, (record?.outputBytes ?? 0) - Buffer.byteLength(record?.observation ?? '')),
    remainingSteps: done ? 0 : Math.max(0, run.maxSteps - (next.step - 1)),
    ...(run.validationsLeft != null && { remainingValidations: done ? 0 : run.validationsLeft }),
    evaluation,
  };
}

/** Subtracts what was paid before; drops empty parts. */
function ownParts({ parts, given, again = [] }: StepReward): Record<string, number> {
  const before = given ?? {};
  const own = Object.entries(parts).map(([part, amount]) => [part, amount - (before[part] ?? 0)] as const);
  return Object.fromEntries(
    own.filter(([part, amount]) => amount !== 0 || before[part] === undefined || again.includes(part)),
  );
}

/** Rewards add up over actions. */
function difference({ reward, given }: StepReward): number | null {
  const before = Object.values(given ?? {});
  return reward === null || before.length === 0 ? reward : reward - before.reduce((sum, amount) => sum + amount, 0);
}

/** The record names an evaluation's fault: it knows which score would have counted. */
function faultOf(
  { endReason, detail }: ActionProgress['run'],
  ofEvaluation: EpisodeFault['reason'] | null,
): EpisodeFault | null {
  if (endReason === 'infra_error' || endReason === 'config_error' || endReason === 'cancelled')
    return { reason: endReason, detail };
  return ofEvaluation === null ? null : { reason: ofEvaluation, detail };
}

function lastMessage(run: ActionProgress['run'], observation: string | null): string {
  const end = `The episode has ended: ${run.endReason ?? 'unknown'}.`;
  return observation === null || observation === '' ? end : `${observation.replace(/\n$/, '')}\n${end}`;
}
