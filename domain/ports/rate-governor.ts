import type { Dimension, RateLimits } from '../rate-limits/account-state.js';
import type { RateTicket } from './rate-store.js';

/** Reports the outcome of a granted call. Reports are sent soon after and may be lost in a crash; the grant then counts as charged. */
export interface RateGrant {
  /** Answered; null: its number of tokens is unknown. */
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

/** Lets calls to a provider account through at the rate that all workers share. */
export interface RateGovernor {
  /**
   * Waits for the call's grant, for less than a minute: `wait` says when to ask again, and the call keeps its place. Throws the
   * signal's reason once that is aborted.
   */
  acquire(
    call: RateTicket & { account: string; provider: string },
    signal: AbortSignal,
  ): Promise<{ kind: 'granted'; grant: RateGrant } | { kind: 'wait'; waitMs: number }>;
  /** Sends the reports that were not sent yet. */
  flush(): Promise<void>;
}
