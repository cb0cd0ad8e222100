import {
  type ComparedTask,
  EPSILON,
  type Kind,
  KINDS,
  type Mode,
  type ScoreCell,
} from '../domain/statistics/compared.js';
import { logRatios } from '../domain/statistics/log-ratios.js';
import { taskAreas } from '../domain/statistics/task-areas.js';

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
 * AUP of each method; null: no feasible score, or no run. For resampling: leaderboards show
 * areas_under_profiles() in SQL, and a test compares the two.
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
