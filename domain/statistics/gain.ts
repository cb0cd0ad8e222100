import type { ComparedTask } from './compared.js';

/** A task with what its gains are measured by. Null: not known. */
export interface GainedTask extends ComparedTask {
  /** Of one evaluation of the baseline. */
  standardError: number | null;
  /** Known optimum, or the frozen best known score: a gain of 1. */
  target: number | null;
}

/** Scores within so many standard errors of the baseline are no gain. */
const NOISE = 2;

const signOf = ({ direction }: ComparedTask): 1 | -1 => (direction === 'maximize' ? 1 : -1);

/** There are a baseline and a better target. attempt_gain() in SQL has the same rule. */
export const hasGains = (task: GainedTask): boolean =>
  task.baseline !== null && task.target !== null && signOf(task) * task.target > signOf(task) * task.baseline;

/**
 * Gain of one attempt, 0 to 1: its score's share of the way from the baseline to the target. 0: no
 * score (null), or within two standard errors of the baseline; null: the task has no gains.
 * attempt_gain() in SQL is the same.
 */
export function attemptGain(task: GainedTask, score: number | null): number | null {
  const { baseline, target } = task;
  if (baseline === null || target === null || !hasGains(task)) return null;
  if (score === null || !beyondNoise(task, baseline, score)) return 0;
  const sign = signOf(task);
  if (sign * score >= sign * target) return 1;
  return (score - baseline) / (target - baseline);
}

/**
 * Key that compares attempts; more is better, equal is a tie. The gain; without a target the score
 * beyond the baseline and its noise; without a baseline the score. Attempts without gain tie.
 */
export function attemptKey(task: GainedTask, score: number | null): number {
  const gain = attemptGain(task, score);
  if (gain !== null) return gain;
  const sign = signOf(task);
  if (task.baseline === null) return score === null ? -Infinity : sign * score;
  return score === null || !beyondNoise(task, task.baseline, score) ? 0 : sign * (score - task.baseline);
}

/**
 * Which of two attempts is ahead: 1 is `b`. Scores tie that are no farther apart than the noise of
 * two evaluations of one submission: the same submission, scored on two days, has two scores.
 */
export function attemptSign(task: GainedTask, a: number | null, b: number | null): -1 | 0 | 1 {
  const noise = NOISE * Math.SQRT2 * (task.standardError ?? 0);
  if (a !== null && b !== null && Math.abs(a - b) <= noise) return 0;
  const [ofA, ofB] = [attemptKey(task, a), attemptKey(task, b)];
  return ofB > ofA ? 1 : ofB < ofA ? -1 : 0;
}

/** Is a score better than the baseline by more than its noise; without a baseline: is there one? */
export const improves = (task: Omit<GainedTask, 'target'>, score: number | null): boolean =>
  score !== null && (task.baseline === null || beyondNoise(task, task.baseline, score));

const beyondNoise = (task: Omit<GainedTask, 'target'>, baseline: number, score: number): boolean => {
  const sign = signOf(task);
  return sign * score > sign * baseline + NOISE * (task.standardError ?? 0);
};
