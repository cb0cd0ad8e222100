/** Comparing scores. Imports nothing. */

export type Direction = 'maximize' | 'minimize';
export type Metrics = Record<string, number>;

/** Is `a` strictly better than `b`? */
export const better = (direction: Direction, a: number, b: number): boolean =>
  direction === 'maximize' ? a > b : a < b;
