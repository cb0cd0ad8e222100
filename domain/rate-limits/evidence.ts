import type { PerDimension } from './account-state.js';

/**
 * Calls that were granted within the last minute, by when they were granted, oldest first; several may be one entry.
 * `requests` and `tokens`: those that were not refused, or not yet. `refused`: calls.
 */
export type RecentCalls = readonly ({ at: number; refused: number } & PerDimension<number>)[];

/** Some providers refuse calls at random, however few there are. So large a share of refusals is taken for that ... */
const BY_CHANCE = 0.12;
/** ... and so large a share for a limit. */
const BY_RATE = 0.5;
const REFUSED = Math.log(BY_RATE / BY_CHANCE);
const PASSED = Math.log((1 - BY_CHANCE) / (1 - BY_RATE));

/**
 * How much likelier the refusals of late are by a limit than by chance, as the logarithm of the ratio (Page's cumulative sum: calls
 * before the refusals set in do not count). Calls granted in (`after`, `until`] are looked at.
 */
export function weightOfRefusals(recent: RecentCalls, after: number, until: number): number {
  let weight = 0;
  for (const call of recent) {
    if (call.at <= after || call.at > until) continue;
    weight = Math.max(0, weight + call.refused * REFUSED - call.requests * PASSED);
  }
  return weight;
}

/** Six refusals in a row. Where every tenth call is refused at random, once in some tens of thousands of calls. */
export const CERTAIN = 8.5;
/** Three within a few calls: enough where a limit is expected. */
export const LIKELY = 3.5;
