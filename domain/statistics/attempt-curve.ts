/** What k attempts at each task are expected to give, the mean over the tasks. */
export interface CurvePoint {
  k: number;
  /** The best gain of k attempts. */
  gain: number;
  /** The chance that one of k attempts is better than the baseline, beyond its noise. */
  improved: number;
}

/**
 * Unbiased best@k and improved@k, the mean over all choices of k from n attempts, for k from 1 to
 * the model's fewest attempts at any task. `gains`: the attempts at each task with gains; none: not
 * submitted there, gain 0. Empty: there is no such task.
 */
export function attemptCurve(gains: readonly (readonly number[])[]): CurvePoint[] {
  if (gains.length === 0) return [];
  const played = gains.flatMap(({ length }) => (length === 0 ? [] : [length]));
  const most = played.length === 0 ? 1 : Math.min(...played);
  const sorted = gains.map((ofTask) => ofTask.toSorted((a, b) => b - a));
  return Array.from({ length: most }, (_, i) => {
    const k = i + 1;
    let [gain, improved] = [0, 0];
    for (const fromBest of sorted) {
      // The best is among k of n with probability k/n; otherwise the best of k of n-1 counts.
      let left = 1;
      for (let drawn = 0; drawn < fromBest.length; drawn++) {
        const value = fromBest[drawn]!;
        const among = fromBest.length - drawn;
        if (among < k || value === 0) break;
        gain += (left * k * value) / among;
        improved += (left * k) / among;
        left *= 1 - k / among;
      }
    }
    return { k, gain: gain / gains.length, improved: improved / gains.length };
  });
}
