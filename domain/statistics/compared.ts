import type { Direction } from '../run/score.js';

/** A task as a comparison sees it; baseline null: it has none. */
export interface ComparedTask {
  direction: Direction;
  baseline: number | null;
}

export const KINDS = ['best', 'last'] as const;
export type Kind = (typeof KINDS)[number];
