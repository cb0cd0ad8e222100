import type { ComparedTask } from './compared.js';

/** Beyond these no ratio is a number, or says anything. */
const [LEAST, MOST] = [1e-100, 1e100];

/**
 * log10 of each method's performance ratio at one task, into `out`; NaN: infeasible, or no score (NaN in `scores`).
 * Returns the largest feasible ratio itself; null: no method solves the task. As performance_ratios() in SQL.
 */
export function logRatios(task: ComparedTask, scores: Float64Array, out: Float64Array): number | null {
  const maximize = task.direction === 'maximize';
  const { baseline } = task;
  let [high, low] = [-Infinity, Infinity];
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i]!;
    const feasible =
      score >= LEAST && score <= MOST && (baseline === null || (maximize ? score >= baseline : score <= baseline));
    out[i] = feasible ? score : NaN;
    if (!feasible) continue;
    if (score > high) high = score;
    if (score < low) low = score;
  }
  if (high === -Infinity) return null;
  for (let i = 0; i < scores.length; i++) {
    const score = out[i]!;
    if (!Number.isNaN(score)) out[i] = Math.log10(maximize ? high / score : score / low);
  }
  return high / low;
}
