import type { Dimension, RateLimits } from '../rate-limits/account-state.js';
import type { RateTicket } from './rate-store.js';

/** Reports a granted call's outcome. If a crash loses the report, the grant counts as charged. */
export interface RateGrant {
  /** Answered; null: unknown number of tokens. */
  settled(tokens: number | null, stated?: RateLimits): void;
  limited(refusal: {
    dimension: Dimension | null;
    retryAfterMs?: number | undefined;
    stated?: RateLimits | undefined;
    exhausted?: boolean | undefined;
  }): void;
  /** The call was not made. */
  released(): void;
}

/** Grants calls to a provider account at the rate that all workers share. */
export interface RateGovernor {
  /**
   * Waits under a minute for a grant; `wait` says when to retry, and the call keeps its place.
   * Throws the signal's reason on abort.
   */
  acquire(
    call: RateTicket & { account: string; provider: string },
    signal: AbortSignal,
  ): Promise<{ kind: 'granted'; grant: RateGrant } | { kind: 'wait'; waitMs: number }>;
  /** Sends pending reports. */
  flush(): Promise<void>;
}
