/** The q-quantile (0..1), interpolated between order statistics (type 7); NaN: no values. */
export function quantile(values: readonly number[], q: number): number {
  return quantileOfSorted(Float64Array.from(values).sort(), q);
}

/** The same of values in ascending order. */
export function quantileOfSorted(sorted: Float64Array, q: number): number {
  const at = (sorted.length - 1) * q;
  const low = sorted[Math.floor(at)];
  const high = sorted[Math.ceil(at)];
  return low === undefined || high === undefined ? NaN : low + (high - low) * (at - Math.floor(at));
}
