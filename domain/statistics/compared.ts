import type { Direction } from '../run/score.js';

/** A task as a comparison sees it; baseline null: it has none. */
export interface ComparedTask {
  direction: Direction;
  baseline: number | null;
}

/** One method at one task. Null: no score. `ran` false: only the infrastructure failed. */
export interface ScoreCell {
  best: number | null;
  last: number | null;
  ran: boolean;
}

export const KINDS = ['best', 'last'] as const;
export type Kind = (typeof KINDS)[number];
export type Mode = 'strict' | 'compat';

/** As in MLGym-Bench: a failure lies so far beyond the worst feasible ratio; points of the grid. */
export const EPSILON = 0.05;
export const GRID_POINTS = 500;
