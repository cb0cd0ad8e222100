import { normalTail } from './normal.js';
import { quantileOfSorted } from './quantile.js';

/** Both ends belong to it. */
export interface Interval {
  low: number;
  high: number;
}

/** The normal distribution's 97.5 % quantile: all intervals are of 95 %. */
const Z = 1.959963984540054;

/**
 * Expanded percentile interval (Hesterberg 2015, "What teachers should know about the bootstrap",
 * section 4.4): quantiles as far out as Student's t for `units` resampled units, since intervals
 * from few units are too narrow. NaN values are left out; null: there are no others.
 */
export function expandedPercentileInterval(values: Float64Array, units: number): Interval | null {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  if (sorted.length === 0 || units < 2) return null;
  const beyond = expandedTail(units);
  return { low: quantileOfSorted(sorted, beyond), high: quantileOfSorted(sorted, 1 - beyond) };
}

/** What of the resamples lies beyond each end of such an interval. */
export const expandedTail = (units: number): number =>
  normalTail(Math.sqrt(units / (units - 1)) * studentQuantile(units - 1));

/** What lies beyond each end of a plain percentile interval of 95 %. */
export const PLAIN_TAIL = 0.025;

/**
 * Percentile interval, wide enough for resamples that draw more than tasks. NaN values are left
 * out; null: there are no others.
 */
export function percentileInterval(values: Float64Array, units: number): Interval | null {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  if (sorted.length === 0 || units < 2) return null;
  return { low: quantileOfSorted(sorted, PLAIN_TAIL), high: quantileOfSorted(sorted, 1 - PLAIN_TAIL) };
}

/** Whether a difference's interval excludes zero: less than `tail` of the resamples reach it. */
export function leavesOutZero(difference: number, values: Float64Array, tail: number): boolean {
  let [known, others] = [0, 0];
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    known++;
    if (!(difference > 0 ? value > SAME : value < -SAME)) others++;
  }
  return others < tail * known;
}

/** Sums in another order differ in their last digits. */
const SAME = 1e-12;

/**
 * The 97.5 % quantile of Student's t: Abramowitz and Stegun 26.7.5. Within 0.001 from 5 degrees of
 * freedom on, too small below.
 */
function studentQuantile(degrees: number): number {
  const terms = [
    (Z ** 3 + Z) / 4,
    (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / 96,
    (3 * Z ** 7 + 19 * Z ** 5 + 17 * Z ** 3 - 15 * Z) / 384,
  ];
  return terms.reduce((sum, term, i) => sum + term / degrees ** (i + 1), Z);
}
