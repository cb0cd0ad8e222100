/** The q-quantile (0..1) by linear interpolation between order statistics (type 7); NaN for no values. */
export function quantile(values: number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const low = sorted[Math.floor(at)];
  const high = sorted[Math.ceil(at)];
  return low === undefined || high === undefined ? NaN : low + (high - low) * (at - Math.floor(at));
}
