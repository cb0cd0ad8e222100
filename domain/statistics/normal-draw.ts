/** Standard normal, from uniform integers (Box–Muller). */
export function normalDraw(draw: (below: number) => number): number {
  const uniform = (): number => (draw(2 ** 20) + 0.5) / 2 ** 20;
  return Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}
