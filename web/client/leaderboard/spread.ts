/** Places nearest to those wanted, in their order, at least `gap` apart, between the bounds. */
export function spread(wanted: readonly number[], gap: number, low: number, high: number): number[] {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a]! - wanted[b]! || a - b);
  const found = [...wanted];
  let least = low;
  for (const i of order) {
    found[i] = Math.max(wanted[i]!, least);
    least = found[i] + gap;
  }
  let most = high;
  for (const i of order.toReversed()) {
    found[i] = Math.min(found[i]!, most);
    most = found[i] - gap;
  }
  return found;
}
