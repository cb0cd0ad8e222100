import { type ComparedTask, EPSILON, GRID_POINTS, type Mode } from './compared.js';
import { logRatios } from './log-ratios.js';

export interface AreaRules {
  mode: Mode;
  /** Length of the axis in log10 units. */
  axis: number;
}

/**
 * What one task adds to each method's area, into `areas`: the mean of it over the tasks is the method's AUP.
 * False: no method solves the task, which is then no part of any area.
 */
export function taskAreas(task: ComparedTask, scores: Float64Array, rules: AreaRules, areas: Float64Array): boolean {
  const worst = logRatios(task, scores, areas);
  if (worst === null) return false;
  const { axis, mode } = rules;
  const penalty = Math.log10(worst * (1 + EPSILON));
  for (let i = 0; i < areas.length; i++) {
    const ratio = areas[i]!;
    if (mode === 'compat') areas[i] = leftSum(Number.isNaN(ratio) ? penalty : ratio, axis);
    else areas[i] = Number.isNaN(ratio) ? 0 : Math.max(axis - ratio, 0) / axis;
  }
  return true;
}

/** The area under a step at `at`, by the left sum over the grid: the step counts from the first point at or beyond it. */
function leftSum(at: number, axis: number): number {
  if (axis === 0) return 0;
  const last = GRID_POINTS - 1;
  let point = Math.ceil((at * last) / axis);
  // Rounding may have missed it by one.
  if (((point - 1) * axis) / last >= at) point -= 1;
  else if ((point * axis) / last < at) point += 1;
  return Math.max(axis - (point * axis) / last, 0);
}
