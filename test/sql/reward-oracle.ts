import type { RewardRequest } from '../../domain/requests/reward.js';

/** Rewards by docs/concepts/rewards.md, one evaluation at a time, independent of the SQL. */

/** As a request, or as a stored episode has it: with a mode that was removed. */
export type OracleReward = Omit<RewardRequest, 'mode'> & { mode: string };

export interface OracleEvaluation {
  step: number;
  score: number | 'invalid' | 'evaluator_error';
  /** The starter, handed in as it is. */
  unchanged?: boolean;
}
export interface OracleEpisode {
  direction: 'maximize' | 'minimize';
  baseline: number | null;
  target?: number | undefined;
  /** Of the baseline; default: 0. */
  standardError?: number;
  steps: { failed: boolean; unusedReplies: number }[];
  /** In order; a step has at most two. */
  evaluations: OracleEvaluation[];
  /** Null: it goes on. */
  end: string | null;
  /** Of tiers, of earlier training steps; scores. */
  bars?: { best_ever?: number | undefined; percentile?: number | undefined };
}
export interface OracleStep {
  step: number;
  gain: number | null;
  reward: number | null;
}

const AGENTS_ENDS = ['submit', 'max_steps', 'context', 'cost', 'tokens', 'format', 'forfeit', 'wall_time'];

function evenRound(x: number): number {
  const down = Math.floor(x);
  if (x - down !== 0.5) return Math.round(x);
  return down % 2 === 0 ? down : down + 1;
}

/** The score that counts: the baseline, where the difference is none of the work. */
export const worked = (
  { baseline, standardError = 0 }: OracleEpisode,
  { score, unchanged = false }: OracleEvaluation,
): number =>
  unchanged || Math.abs((score as number) - baseline!) <= 2 * standardError ? baseline! : (score as number);

export function gainOf({ direction, baseline, target }: OracleEpisode, score: number): number {
  const b = baseline!;
  const distance = target === undefined ? 0 : Math.abs(target - b);
  const unit = distance > 0 ? distance : Math.abs(b) > 0 ? Math.abs(b) : 1;
  const raw = (direction === 'maximize' ? score - b : b - score) / unit;
  return evenRound(raw * 2 ** 32) / 2 ** 32 + 0;
}

function tierOf(episode: OracleEpisode, reward: OracleReward, score: number): number {
  const sign = episode.direction === 'maximize' ? 1 : -1;
  const better = (a: number, b: number) => sign * a > sign * b;
  let paid = 0;
  if (!better(score, episode.baseline!)) return 0;
  for (const rung of reward.tiers ?? []) {
    const bar = 'above' in rung ? rung.above : rung.at_least;
    const { best_ever = episode.baseline!, percentile = episode.baseline! } = episode.bars ?? {};
    const best = better(best_ever, episode.baseline!) ? best_ever : episode.baseline!;
    const height = { baseline: episode.baseline!, best_ever: best, percentile }[bar as string] ?? (bar as number);
    if (!(better(score, height) || ('at_least' in rung && score === height))) break;
    paid = rung.reward;
  }
  return paid;
}

/** Of each step; the last `reward` of `whole` is the episode's, null where it has none. */
export function oracle(episode: OracleEpisode, reward: OracleReward): { steps: OracleStep[]; whole: number | null } {
  const { mode, clip, format_penalty: format, no_valid_penalty: noValid } = reward;
  const clipped = (x: number) => (clip === undefined ? x : Math.max(clip[0], Math.min(clip[1], x)));
  const sign = episode.direction === 'maximize' ? 1 : -1;
  const valueOf = (score: number) =>
    reward.unit === 'score' ? sign * (score - episode.baseline!) : gainOf(episode, score);
  const statusOf = ({ score }: OracleEvaluation) =>
    score === 'evaluator_error' || episode.baseline === null ? 'fault' : score === 'invalid' ? 'invalid' : 'valid';
  const ended = episode.end !== null;
  const all = episode.evaluations.map(statusOf);
  const broken =
    ended &&
    (!AGENTS_ENDS.includes(episode.end!) ||
      (['final', 'delta_prev'].includes(mode) ? all.at(-1) === 'fault' : all.includes('fault')));
  const scoreOf = (evaluation: OracleEvaluation) => worked(episode, evaluation);
  let before = 0;
  let best = 0;
  const scores: number[] = [];
  const steps = episode.steps.map(({ unusedReplies }, at): OracleStep => {
    const step = at + 1;
    const last = ended && step === episode.steps.length;
    const here = episode.evaluations.filter((evaluation) => evaluation.step === step);
    let paid: number | null = null;
    for (const evaluation of here) {
      const status = statusOf(evaluation);
      if (status === 'valid') {
        const value = valueOf(scoreOf(evaluation));
        if (mode === 'delta_prev') paid = (paid ?? 0) + (clipped(value) - clipped(before));
        if (mode === 'delta_best') paid = (paid ?? 0) + clipped(Math.max(0, value - best));
        if (mode === 'each') paid = (paid ?? 0) + clipped(value);
        before = value;
        best = Math.max(best, value);
        scores.push(scoreOf(evaluation));
      } else if (status === 'invalid' && ['delta_prev', 'delta_best', 'each'].includes(mode)) paid = paid ?? 0;
    }
    const newest = here.at(-1);
    const gain = newest !== undefined && statusOf(newest) === 'valid' ? gainOf(episode, scoreOf(newest)) : null;
    if ((newest !== undefined && statusOf(newest) === 'fault') || (last && broken)) return { step, gain, reward: null };
    if (last && ['final', 'best', 'tier'].includes(mode)) {
      const top = scores.reduce((a, b) => (sign * b > sign * a ? b : a), scores[0] ?? NaN);
      if (scores.length === 0) paid = noValid === undefined && all.includes('invalid') ? 0 : null;
      else if (reward.tiers !== undefined) paid = tierOf(episode, reward, top);
      else {
        const failed = episode.steps.filter((one) => one.failed).length;
        const worth = (reward.scale ?? 1) * valueOf(mode === 'best' ? top : scores.at(-1)!) + (reward.offset ?? 0);
        paid = clipped(worth - ((reward.error_penalty ?? 0) * failed) / episode.steps.length);
      }
    }
    const parts = [paid];
    if (last && scores.length === 0 && noValid !== undefined) parts.push(-noValid);
    if (unusedReplies > 0 && format !== undefined) parts.push(-unusedReplies * format);
    const earned = parts.filter((part) => part !== null);
    return { step, gain, reward: earned.length === 0 ? null : earned.reduce((a, b) => a + b, 0) };
  });
  const earned = steps.flatMap((one) => (one.reward === null ? [] : [one.reward]));
  const whole = !ended || broken || earned.length === 0 ? null : earned.reduce((a, b) => a + b, 0);
  return { steps, whole };
}
