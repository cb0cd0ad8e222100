import type { Direction } from '../run/score.js';

/** A task as a comparison sees it; baseline null: it has none. */
export interface ComparedTask {
  direction: Direction;
  baseline: number | null;
}

/** One method at one task. Null: no score. `ran` false: only the infrastructure failed, so that nothing is known of it. */
export interface ScoreCell {
  best: number | null;
  last: number | null;
  ran: boolean;
}

export const KINDS = ['best', 'last'] as const;
export type Kind = (typeof KINDS)[number];
export type Mode = 'strict' | 'compat';

/** How far beyond the worst feasible ratio a failure lies, and the points of the grid, as MLGym-Bench has them. */
export const EPSILON = 0.05;
export const GRID_POINTS = 500;
