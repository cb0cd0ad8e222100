/** Share of the normal distribution beyond x > 0: Abramowitz and Stegun 26.2.17, to 7.5e-8. */
export function normalTail(x: number): number {
  const t = 1 / (1 + 0.2316419 * x);
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * series;
}

/** The x beyond which this share of the normal distribution lies, at most half. */
export function normalBeyond(share: number): number {
  let [low, high] = [0, 40];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (normalTail(middle) > share) low = middle;
    else high = middle;
  }
  return low;
}

/** Standard normal, from uniform integers (Box–Muller). */
export function normalDraw(draw: (below: number) => number): number {
  const uniform = (): number => (draw(2 ** 20) + 0.5) / 2 ** 20;
  return Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}
