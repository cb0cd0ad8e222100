import type { Turns } from './fair-turns.js';

export const DIMENSIONS = ['requests', 'tokens'] as const;
export type Dimension = (typeof DIMENSIONS)[number];
/** Null: none, or unknown. */
export type PerDimension<T> = Record<Dimension, T>;
/** Per minute. */
export type RateLimits = PerDimension<number | null>;

/** Learned from a provider's refusals. */
export interface LearnedLimit {
  /** Per minute: granted now. */
  limit: number;
  /** Per minute: measured throughput. */
  peak: number;
  /** Epoch ms of the last cut. Refusals of calls granted before it are the same congestion. */
  cutAt: number;
  /** Epoch ms of the grant whose refusal led to the cut: the provider had nothing left then. */
  emptyAt: number;
  /** Granted since then and not refused. */
  passed: number;
  /** Refusals not yet offset by passed calls: until then nothing exceeds the peak. */
  debt: number;
  /** The measured rate exceeded the earlier one, or is the first: the limit may be higher. */
  unsure: boolean;
  /** Epoch ms of the last step up. */
  steppedAt: number;
  /** Steps beyond the peak: each is larger than the last. */
  beyond: number;
  /** Consecutive cuts that should have sufficed, each still followed by a few refusals. */
  inVain: number;
  /** The longest quiet that refusals since then requested, ms. */
  closedMs: number;
}

/**
 * All that is known of a provider account: a pure value, changed under its row's lock. Times are
 * epoch milliseconds by Postgres' clock.
 */
export interface AccountState extends Turns {
  /** Unused room of the token buckets, or debt if negative; as of `at`. */
  level: PerDimension<number>;
  at: number;
  /** Epoch ms when the bucket was last full or unlimited: earlier charges have come back since. */
  fullAt: PerDimension<number>;
  /** The lowest in the configurations of recently called models. */
  declared: PerDimension<{ limit: number; at: number } | null>;
  learned: PerDimension<LearnedLimit | null>;
  /** The provider's last statement of its limits. */
  stated: RateLimits;
  /** The provider requested quiet until then. */
  blockedUntil: number;
  /** Quiet that we add, ms; grows while refusals continue. */
  quietMs: number;
  /** Until then single refusals count as chance: cuts changed nothing. */
  byChanceUntil: number;
  /** Actual / estimated tokens: running mean and mean deviation; null: none yet. */
  usage: { mean: number; deviation: number } | null;
  /** Calls had to wait for this since the last check. */
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
