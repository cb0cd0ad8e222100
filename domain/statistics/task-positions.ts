/**
 * Position of each method at one task from 1, into `out`, which is returned. Equal scores share the
 * mean of their positions, as do missing ones (NaN) at the end. NaN: not `placed`. As
 * comparison_ranks() in SQL.
 */
export function taskPositions(
  scores: Float64Array,
  maximize: boolean,
  placed: (method: number) => boolean,
  out: Float64Array,
): Float64Array {
  const order: number[] = [];
  for (let method = 0; method < scores.length; method++) {
    out[method] = NaN;
    if (placed(method)) order.push(method);
  }
  const key = (method: number): number => {
    const score = scores[method]!;
    return Number.isNaN(score) ? Infinity : maximize ? -score : score;
  };
  order.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
  for (let start = 0; start < order.length;) {
    let end = start + 1;
    while (end < order.length && key(order[end]!) === key(order[start]!)) end++;
    for (let i = start; i < end; i++) out[order[i]!] = (start + 1 + end) / 2;
    start = end;
  }
  return out;
}
