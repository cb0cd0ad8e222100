/**
 * What is believed of the spread of gains among attempts of one model at one task before any was seen, and for how many observations that counts.
 * Gains lie from 0 to 1; in the published runs of MLGym-Bench they vary by about a quarter.
 */
const PRIOR = { spread: 0.25, weight: 4 };

/** A spread from few observations, drawn to what is believed beforehand: two attempts that are alike do not show that all are. `freedom`: its degrees. */
export const believedSpread = (spread: number, freedom: number): number =>
  Math.sqrt((PRIOR.weight * PRIOR.spread ** 2 + freedom * spread ** 2) / (PRIOR.weight + freedom));

/** How many observations the spread of all cells counts for in that of one. */
const POOLED = 2;

/**
 * Variance of each cell's gains: of its own attempts, drawn to that of all cells, and that to what is believed beforehand. A cell whose attempts are
 * all alike, or alone, has some.
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
