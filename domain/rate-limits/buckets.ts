import { type AccountState, type Dimension, DIMENSIONS, type PerDimension, type RateLimits } from './account-state.js';

/** The rest is for clock differences and calls in transit. */
const HEADROOM = 0.97;
/** Bucket size in minutes, plus one call: with the headroom, no minute exceeds its limit. */
const BURST = 1 / 60;

/** Per minute: the operator's limit, else the declared one; at most the learned one. Null: none. */
export function grantedPerMinute(state: AccountState, set: RateLimits): RateLimits {
  const of = (dimension: Dimension): number | null => {
    const declared = set[dimension] ?? state.declared[dimension]?.limit ?? null;
    const limits = [declared === null ? null : declared * HEADROOM, state.learned[dimension]?.limit ?? null];
    return limits.reduce((least, one) => (one === null ? least : Math.min(least ?? one, one)), null);
  };
  return { requests: of('requests'), tokens: of('tokens') };
}

const capacity = (dimension: Dimension, limit: number): number => (dimension === 'requests' ? 1 : 0) + limit * BURST;

/** Fills the buckets at the granted rate up to `now`; not while the provider wants quiet. */
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

/** Milliseconds until a grant; 0: now. A large call needs some room only, and leaves a debt. */
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

/** Corrects a past charge. Returns nothing to a bucket that was full since: it lost nothing. */
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

/** Take, or give back (negative). */
export function take(state: AccountState, limits: RateLimits, amount: PerDimension<number>): void {
  for (const dimension of DIMENSIONS) {
    const limit = limits[dimension];
    if (limit === null) continue;
    state.level[dimension] = Math.min(state.level[dimension] - amount[dimension], capacity(dimension, limit));
  }
}
