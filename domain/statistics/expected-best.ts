import type { Direction } from '../run/score.js';

/**
 * Unbiased estimate of the best of k attempts from n >= k: the mean over all choices of k of them without replacement,
 * sum over i = k..n of C(i-1, k-1) / C(n, k) v(i), with v in ascending order of goodness (Chen et al. 2021, "Evaluating
 * large language models trained on code", for pass@k). An attempt without a score (null) counts as `failed`, best the
 * baseline. Null: fewer than k attempts, or one failed and `failed` is null.
 */
export function expectedBest(
  attempts: readonly (number | null)[],
  k: number,
  direction: Direction,
  failed: number | null,
): number | null {
  const n = attempts.length;
  if (k < 1 || n < k) return null;
  const values = attempts.map((value) => value ?? failed);
  if (values.some((value) => value === null)) return null;
  const sign = direction === 'maximize' ? 1 : -1;
  const fromBest = (values as number[]).sort((a, b) => sign * (b - a));
  // The best of all is the best of k with probability k/n, else it is drawn aside: the next is the best of k of n-1.
  let [expected, left] = [0, 1];
  for (const [drawn, value] of fromBest.entries()) {
    const among = n - drawn;
    if (among < k) break;
    expected += (left * k * value) / among;
    left *= 1 - k / among;
  }
  return expected;
}
