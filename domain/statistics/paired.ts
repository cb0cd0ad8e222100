import type { Direction } from '../run/score.js';
import { type GainedTask, improves } from './gain.js';
import { expandedPercentileInterval, type Interval } from './intervals.js';
import { randomIndexes } from './random-index.js';

/** Scores of two attempts that differ in who played; null: without a score. */
export interface ScorePair {
  a: number | null;
  b: number | null;
}

export type PairOutcome = 'both' | 'onlyA' | 'onlyB' | 'neither';

export function pairOutcome(task: Omit<GainedTask, 'target'>, { a, b }: ScorePair): PairOutcome {
  const [first, second] = [improves(task, a), improves(task, b)];
  return first ? (second ? 'both' : 'onlyA') : second ? 'onlyB' : 'neither';
}

export interface PairedDifference {
  /** Mean of what B has more than A; positive: B is better. Null: no pair has two scores. */
  mean: number | null;
  /** Of 95 %: pairs are resampled with both of their scores. Null: fewer than two. */
  interval: Interval | null;
  pairs: number;
}

/** By how much B is better than A, over pairs in which both have a score. */
export function pairedDifference(
  pairs: readonly ScorePair[],
  direction: Direction,
  { resamples, seed }: { resamples: number; seed: number },
): PairedDifference {
  const sign = direction === 'maximize' ? 1 : -1;
  const differences = pairs.flatMap(({ a, b }) => (a === null || b === null ? [] : [sign * (b - a)]));
  const n = differences.length;
  if (n === 0) return { mean: null, interval: null, pairs: 0 };
  const draw = randomIndexes(seed);
  const means = new Float64Array(n < 2 ? 0 : resamples);
  for (let i = 0; i < means.length; i++) {
    let sum = 0;
    for (let k = 0; k < n; k++) sum += differences[draw(n)]!;
    means[i] = sum / n;
  }
  const mean = differences.reduce((sum, one) => sum + one, 0) / n;
  return { mean, interval: expandedPercentileInterval(means, n), pairs: n };
}
