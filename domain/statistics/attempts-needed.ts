/** Standard normal quantiles: of 95 % confidence, two-sided, and of 80 % power. */
const CONFIDENCE = 1.959964;
const POWER = 0.841621;

/**
 * Attempts per model and task until two models whose mean scores differ by `difference` are
 * significantly different at 95 % confidence in four of five comparisons, on the same tasks:
 * n = 2·s²·(z₀.₉₇₅ + z₀.₈)² / (tasks·d²) (two-sample z test). `spread`: standard deviation s among
 * attempts of one model at one task, in the unit of the difference.
 */
export function attemptsNeeded({
  spread,
  tasks,
  difference,
}: {
  spread: number;
  tasks: number;
  difference: number;
}): number {
  return Math.max(1, Math.ceil((2 * spread ** 2 * (CONFIDENCE + POWER) ** 2) / (tasks * difference ** 2)));
}
