/** Imports nothing. */

export type Direction = 'maximize' | 'minimize';
export type Metrics = Record<string, number>;

export const better = (direction: Direction, a: number, b: number): boolean =>
  direction === 'maximize' ? a > b : a < b;
