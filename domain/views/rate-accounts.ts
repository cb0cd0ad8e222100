import type { PerDimension, RateLimits } from '../rate-limits/account-state.js';

export interface RateAccountRow {
  account: string;
  provider: string;
  /** By `bench limits set`, per minute. */
  set: RateLimits;
  /** By the configurations of the models that were called last. */
  declared: RateLimits;
  /** From refusals. */
  learned: RateLimits;
  /** By the provider's headers. */
  stated: RateLimits;
  /** What is granted a minute now; null: no limit. */
  granted: RateLimits;
  /** The provider wants quiet until then. */
  quietUntil: string | null;
  /** Granted in the last minute. */
  lastMinute: PerDimension<number>;
  waiting: number;
  waitingSince: string | null;
  /** Refused for their rate in the last hour. */
  refusedLastHour: number;
  /** By model: how many times their estimate its calls set aside, because an answer cost so much more. */
  reservationFactors: Record<string, number>;
}
