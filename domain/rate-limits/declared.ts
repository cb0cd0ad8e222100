import { type AccountState, DIMENSIONS, type RateLimits } from './account-state.js';

/** The lowest limit that models of the last minute's calls declare. */
export function declare(state: AccountState, declared: RateLimits, now: number, minuteMs: number): void {
  for (const dimension of DIMENSIONS) {
    const limit = declared[dimension];
    const before = state.declared[dimension];
    if (before !== null && (limit === null || limit > before.limit) && now - before.at <= minuteMs) continue;
    state.declared[dimension] = limit === null ? null : { limit, at: now };
  }
}
