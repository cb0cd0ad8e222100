import { type AccountState, type Dimension, DIMENSIONS, type PerDimension, type RateLimits } from './account-state.js';

/** Of a declared limit: the rest is for clocks that differ and calls that are on their way. */
const HEADROOM = 0.97;
/** A bucket holds one call and so much of a minute: with the headroom, no minute has more than its limit. */
const BURST = 1 / 60;

/** Per minute, what is granted now: the operator's word or the declared one, and no more than was learned. Null: no limit. */
export function grantedPerMinute(state: AccountState, set: RateLimits): RateLimits {
  const of = (dimension: Dimension): number | null => {
    const declared = set[dimension] ?? state.declared[dimension]?.limit ?? null;
    const limits = [declared === null ? null : declared * HEADROOM, state.learned[dimension]?.limit ?? null];
    return limits.reduce((least, one) => (one === null ? least : Math.min(least ?? one, one)), null);
  };
  return { requests: of('requests'), tokens: of('tokens') };
}

const capacity = (dimension: Dimension, limit: number): number => (dimension === 'requests' ? 1 : 0) + limit * BURST;

/** The buckets as they are at `now`: filled at the granted rate up to their brim. While the provider wants quiet nothing flows in. */
export function refill(
  state: AccountState,
  limits: RateLimits,
  now: number,
  minuteMs: number,
  onOverflow: (dimension: Dimension, amount: number) => void,
): void {
  const from = Math.max(state.at, Math.min(state.blockedUntil, now));
  for (const dimension of DIMENSIONS) {
    const limit = limits[dimension];
    if (limit === null) {
      state.fullAt[dimension] = now;
      continue;
    }
    const filled = state.level[dimension] + (limit * Math.max(0, now - from)) / minuteMs;
    const brim = capacity(dimension, limit);
    if (filled > brim) onOverflow(dimension, filled - brim);
    if (filled >= brim) state.fullAt[dimension] = now;
    state.level[dimension] = Math.min(filled, brim);
  }
  state.at = Math.max(state.at, now);
}

/** Milliseconds until a call may be granted, for each dimension; 0: now. A large call needs no more than some room, and leaves a debt. */
export function waitFor(
  state: AccountState,
  limits: RateLimits,
  ahead: PerDimension<number>,
  minuteMs: number,
): PerDimension<number> {
  const of = (dimension: Dimension): number => {
    const limit = limits[dimension];
    if (limit === null) return 0;
    const missing = (dimension === 'requests' ? 1 : 0) + ahead[dimension] - state.level[dimension];
    return missing <= 0 ? 0 : (missing / limit) * minuteMs;
  };
  return { requests: of('requests'), tokens: of('tokens') };
}

/**
 * Put right what a call granted then was charged, up or down (negative). Nothing is given back where the bucket was full since: it
 * would be as full now, had the call been charged less.
 */
export function correct(
  state: AccountState,
  limits: RateLimits,
  amount: PerDimension<number>,
  grantedAt: number,
): void {
  const of = (dimension: Dimension): number =>
    amount[dimension] < 0 && state.fullAt[dimension] > grantedAt ? 0 : amount[dimension];
  take(state, limits, { requests: of('requests'), tokens: of('tokens') });
}

/** Take from the buckets, or give back (negative). A dimension without a limit has none. */
export function take(state: AccountState, limits: RateLimits, amount: PerDimension<number>): void {
  for (const dimension of DIMENSIONS) {
    const limit = limits[dimension];
    if (limit === null) continue;
    state.level[dimension] = Math.min(state.level[dimension] - amount[dimension], capacity(dimension, limit));
  }
}
