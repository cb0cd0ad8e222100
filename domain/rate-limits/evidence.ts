import type { PerDimension } from './account-state.js';

/**
 * Calls granted within the last minute, oldest first; an entry may be several. `requests`,
 * `tokens`: not refused (yet). `refused`: calls.
 */
export type RecentCalls = readonly ({ at: number; refused: number } & PerDimension<number>)[];

/** Some providers refuse such a share of calls at random ... */
const BY_CHANCE = 0.12;
/** ... and such a share because of a limit. */
const BY_RATE = 0.5;
const REFUSED = Math.log(BY_RATE / BY_CHANCE);
const PASSED = Math.log((1 - BY_CHANCE) / (1 - BY_RATE));

/**
 * Log-likelihood of a limit against chance (Page's cumulative sum), for grants in (`after`,
 * `until`]. Ignores calls before the refusals began.
 */
export function weightOfRefusals(recent: RecentCalls, after: number, until: number): number {
  let weight = 0;
  for (const call of recent) {
    if (call.at <= after || call.at > until) continue;
    weight = Math.max(0, weight + call.refused * REFUSED - call.requests * PASSED);
  }
  return weight;
}

/** Six refusals in a row: with 10 % random refusals, once in tens of thousands of calls. */
export const CERTAIN = 8.5;
/** Three within a few calls: enough where a limit is expected. */
export const LIKELY = 3.5;
