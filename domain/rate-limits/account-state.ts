import type { Turns } from './fair-turns.js';

/** What a provider counts. */
export const DIMENSIONS = ['requests', 'tokens'] as const;
export type Dimension = (typeof DIMENSIONS)[number];
/** A figure for each; null: none, or unknown. */
export type PerDimension<T> = Record<Dimension, T>;
/** Per minute. */
export type RateLimits = PerDimension<number | null>;

/** What a provider's refusals have taught. */
export interface LearnedLimit {
  /** Per minute: what is granted now. */
  limit: number;
  /** Per minute: what the provider was measured to let through. */
  peak: number;
  /** Epoch ms of the last cut. A refusal of a call that was granted before it is part of the same congestion. */
  cutAt: number;
  /** When the call was granted whose refusal led to the cut: then the provider had nothing left. Epoch ms. */
  emptyAt: number;
  /** Granted since then and not refused. */
  passed: number;
  /** Refusals that calls which passed have not made up for: until then nothing is tried beyond the peak. */
  debt: number;
  /** More got through than had been measured before, or nothing had been: the limit may be higher still. */
  unsure: boolean;
  /** Epoch ms of the last step up. */
  steppedAt: number;
  /** Steps beyond the peak: each is larger than the one before. */
  beyond: number;
  /** Cuts in a row that ought to have been enough, and were followed by few refusals all the same. */
  inVain: number;
  /** The longest quiet that refusals since then asked for, ms. */
  closedMs: number;
}

/**
 * All that is known of a provider account, as it lies in its row: a pure value, changed by the functions of this folder under the
 * row's lock. Times are epoch milliseconds by Postgres' clock.
 */
export interface AccountState extends Turns {
  /** Unused room of the token buckets, which may be a debt; as of `at`. */
  level: PerDimension<number>;
  at: number;
  /** Epoch ms when the bucket was last full, or not limited: what calls granted before that were charged has come back by itself. */
  fullAt: PerDimension<number>;
  /** By the configurations of models whose calls came lately, the lowest. */
  declared: PerDimension<{ limit: number; at: number } | null>;
  learned: PerDimension<LearnedLimit | null>;
  /** What the provider itself last said of its limits. */
  stated: RateLimits;
  /** The provider asked for quiet until then. */
  blockedUntil: number;
  /** The quiet that we add of our own, ms; grows while refusals go on. */
  quietMs: number;
  /** Until then single refusals are taken for chance: cuts were seen to change nothing. */
  byChanceUntil: number;
  /** Ratio of actual to estimated tokens: running mean and mean deviation; null: none yet. */
  usage: { mean: number; deviation: number } | null;
  /** Calls had to wait for this since it was last looked at. */
  scarce: PerDimension<boolean>;
}

export const newAccount = (now: number): AccountState => ({
  level: { requests: 1, tokens: 1 },
  at: now,
  fullAt: { requests: 0, tokens: 0 },
  declared: { requests: null, tokens: null },
  learned: { requests: null, tokens: null },
  stated: { requests: null, tokens: null },
  blockedUntil: 0,
  quietMs: 0,
  byChanceUntil: 0,
  usage: null,
  scarce: { requests: false, tokens: false },
  turns: {},
  clock: 0,
});
