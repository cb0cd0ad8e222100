/**
 * Prior spread of gains (0 to 1) among attempts of one model at one task, and its observations:
 * about a quarter in the published runs of MLGym-Bench.
 */
const PRIOR = { spread: 0.25, weight: 4 };

/** Shrinks a spread to the prior: two attempts may agree by chance. `freedom`: its degrees. */
export const believedSpread = (spread: number, freedom: number): number =>
  Math.sqrt((PRIOR.weight * PRIOR.spread ** 2 + freedom * spread ** 2) / (PRIOR.weight + freedom));

/** How many observations the spread of all cells counts for in that of one. */
const POOLED = 2;

/**
 * Variance of each cell's gains, shrunk to that of all cells, and that to the prior. It is positive
 * even for a single attempt, or equal ones.
 */
export function believedVariances(cells: readonly (readonly number[])[]): number[] {
  const own = cells.map((gains) => {
    const mean = gains.reduce((sum, gain) => sum + gain, 0) / Math.max(1, gains.length);
    return {
      squares: gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0),
      freedom: Math.max(0, gains.length - 1),
    };
  });
  const [squares, freedom] = own.reduce(([s, f], one) => [s + one.squares, f + one.freedom], [0, 0]);
  const pooled = believedSpread(freedom === 0 ? 0 : Math.sqrt(squares / freedom), freedom) ** 2;
  return own.map((one) => (POOLED * pooled + one.squares) / (POOLED + one.freedom));
}
