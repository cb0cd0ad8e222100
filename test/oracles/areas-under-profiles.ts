import type { ComparedTask, Kind } from '../../domain/statistics/compared.js';
import { KINDS } from '../../domain/statistics/compared.js';

/** One method at one task. Null: no score. `ran` false: only the infrastructure failed. */
interface ScoreCell {
  best: number | null;
  last: number | null;
  ran: boolean;
}
type Mode = 'strict' | 'compat';

/** As in MLGym-Bench: a failure lies so far beyond the worst feasible ratio; points of the grid. */
const EPSILON = 0.05;
const GRID_POINTS = 500;

/** Each task with one cell per method, in the same order at every task. */
export type ComparedScores = readonly (ComparedTask & { cells: readonly ScoreCell[] })[];

/** Axis length from the scores, in log10 units; null: no feasible score. profile_axis() in SQL. */
export function profileAxis(tasks: ComparedScores): number | null {
  let longest = -Infinity;
  for (const task of tasks) {
    for (const kind of KINDS) {
      const scores = scoresOf(task.cells, kind);
      const worst = logRatios(task, scores, new Float64Array(scores.length));
      if (worst !== null) longest = Math.max(longest, Math.ceil(worst * (1 + EPSILON)));
    }
  }
  return longest === -Infinity ? null : Math.ceil(10 * Math.log10(longest)) / 10;
}

/**
 * AUP of each method; null: no feasible score at its tasks, or none ran. Leaderboards show
 * areas_under_profiles() of SQL; this one is independent, to compare with.
 */
export function areasUnderProfiles(tasks: ComparedScores, kind: Kind, mode: Mode, axis: number): (number | null)[] {
  const methods = tasks[0]?.cells.length ?? 0;
  const sums = new Float64Array(methods);
  const counts = new Float64Array(methods);
  const areas = new Float64Array(methods);
  for (const task of tasks) {
    if (!taskAreas(task, scoresOf(task.cells, kind), { mode, axis }, areas)) continue;
    task.cells.forEach((cell, i) => {
      if (!partOf(cell, kind, mode)) return;
      sums[i]! += areas[i]!;
      counts[i]! += 1;
    });
  }
  return Array.from(sums, (sum, i) => (counts[i] === 0 ? null : sum / counts[i]!));
}

/** In strict mode a task at which only the infrastructure failed is no part of a method's area. */
const partOf = (cell: ScoreCell, kind: Kind, mode: Mode): boolean =>
  mode === 'compat' || cell.ran || cell[kind] !== null;

const scoresOf = (cells: readonly ScoreCell[], kind: Kind): Float64Array =>
  Float64Array.from(cells, (cell) => cell[kind] ?? NaN);

interface AreaRules {
  mode: Mode;
  /** Length of the axis in log10 units. */
  axis: number;
}

/**
 * What one task adds to each method's area, into `areas`: AUP is its mean over tasks.
 * False: no method solves the task, which is then no part of any area.
 */
function taskAreas(task: ComparedTask, scores: Float64Array, rules: AreaRules, areas: Float64Array): boolean {
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

/** The area under a step at `at`, by the left sum: from the first point at or beyond it. */
function leftSum(at: number, axis: number): number {
  if (axis === 0) return 0;
  const last = GRID_POINTS - 1;
  let point = Math.ceil((at * last) / axis);
  // Rounding may have missed it by one.
  if (((point - 1) * axis) / last >= at) point -= 1;
  else if ((point * axis) / last < at) point += 1;
  return Math.max(axis - (point * axis) / last, 0);
}

/** Beyond these no ratio is a number, or says anything. */
const [LEAST, MOST] = [1e-100, 1e100];

/**
 * log10 of each method's performance ratio at one task, into `out`; NaN: infeasible, or no score.
 * Returns the largest feasible ratio; null: no method solves the task. As performance_ratios().
 */
function logRatios(task: ComparedTask, scores: Float64Array, out: Float64Array): number | null {
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
