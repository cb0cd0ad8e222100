import { type EndReason, type FinalEvaluation, mlgymExitStatus } from '../run/outcomes.js';
import type { EvaluationKind, EvaluationStatus } from '../run/run.js';
import type { Metrics } from '../run/score.js';

/** An evaluation as the one who plays may see it: on the split that is shown, never on a hidden one. */
interface ShownEvaluation {
  /** `<run>/<step>/<kind>`: an evaluation pays once. */
  id: string;
  kind: EvaluationKind;
  status: EvaluationStatus;
  valid: boolean;
  metrics: Metrics | null;
  /** Value of the task's primary metric. */
  primary: number | null;
  /** The same of the starter's submission; null: it has not been measured. */
  baseline: number | null;
  /** By how much it is better than the baseline, in the units that rewards are paid in; null: it counts for none. */
  gain: number | null;
}

/** What of a run is our fault: never a reward. */
interface EpisodeFault {
  /** An end that is not the player's doing, or an evaluation without a score that could have been the one that counts. */
  reason: EndReason | 'evaluator_error' | 'no_baseline';
  detail: string | null;
}

/** What one action brought about. Final once stored: a repeated request gets the same one. */
export interface EpisodeOutcome {
  seq: number;
  step: number;
  /** What the policy is shown, whole. */
  message: string;
  /** Of this action alone; null: it brought none. */
  reward: number | null;
  rewardParts: Record<string, number>;
  terminated: boolean;
  truncated: boolean;
  /** As MLGym would name the end; null: the episode continues. */
  exitStatus: string | null;
  endReason: EndReason | null;
  fault: EpisodeFault | null;
  /** The action was no command: nothing was executed. */
  formatError: boolean;
  output: string | null;
  exitCode: number | null;
  timedOut: boolean;
  /** Of the output, left out in the middle. */
  truncatedBytes: number;
  remainingSteps: number;
  /** How often `validate` is still scored; null or absent: as often as it is asked for. */
  remainingValidations?: number | null;
  evaluation: ShownEvaluation | null;
}

/** How far an action is, by the record. */
export interface ActionProgress {
  seq: number;
  step: number;
  try: number;
  /** Stored before. */
  settled: EpisodeOutcome | null;
  /** The turn that came after: the policy is asked again. */
  next: { step: number; try: number; message: string } | null;
  run: {
    ended: boolean;
    endReason: EndReason | null;
    finalEvaluation: FinalEvaluation | null;
    detail: string | null;
    maxSteps: number;
    /** null or absent: there is no limit. */
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

/** What its step is worth by now, and what of that has been given. */
export interface StepReward {
  reward: number | null;
  /** Sum up to the reward. */
  parts: Record<string, number>;
  /** Parts that earlier actions have been given; null: none. */
  given: Record<string, number> | null;
  /** Parts that are paid again: they are reported although earlier actions have been given them, even if 0. */
  again?: readonly string[];
  /** Why an episode that has ended has no reward; null or absent: it has one, or continues. */
  fault?: EpisodeFault['reason'] | null;
}

/** Is the outcome of the action known? */
export const isOver = (progress: ActionProgress): boolean => progress.next !== null || progress.run.ended;

const TERMINAL: readonly EndReason[] = ['submit', 'forfeit'];

/** The outcome of an action that is over. `keptBytes`: most that is kept of an output. */
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

/** What was given before is not given again: a part that is left with nothing is none. */
function ownParts({ parts, given, again = [] }: StepReward): Record<string, number> {
  const before = given ?? {};
  const own = Object.entries(parts).map(([part, amount]) => [part, amount - (before[part] ?? 0)] as const);
  return Object.fromEntries(
    own.filter(([part, amount]) => amount !== 0 || before[part] === undefined || again.includes(part)),
  );
}

/** Rewards are added up over actions. */
function difference({ reward, given }: StepReward): number | null {
  const before = Object.values(given ?? {});
  return reward === null || before.length === 0 ? reward : reward - before.reduce((sum, amount) => sum + amount, 0);
}

/** An evaluation's fault comes from the record, which knows the score that would have counted. */
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
