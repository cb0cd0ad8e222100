import type { Dimension, RateLimits } from '../rate-limits/account-state.js';

/** A call that waits for its grant. */
export interface RateTicket {
  /** The same for the same question: one that comes again keeps its place. */
  ticket: string;
  /** Batches take turns, in the order of their priorities. */
  batchId: string;
  /** The prompt's estimate and the longest reply. */
  tokens: number;
  /** By the model's configuration, per minute. */
  declared: RateLimits;
}

/** Outcome of a granted call. */
export type RateReport = { ticket: string } &
  /** Answered; `tokens` null: unknown. */
  (
    | { kind: 'settled'; tokens: number | null; stated?: RateLimits | undefined }
    /** Refused for its rate; `dimension` null: the provider did not say which. */
    | {
        kind: 'limited';
        dimension: Dimension | null;
        retryAfterMs?: number | undefined;
        stated?: RateLimits | undefined;
        /** The provider counted, and next to nothing was left of the limit. */
        exhausted?: boolean | undefined;
      }
    /** Not made after all, or given up while it waited. */
    | { kind: 'released' }
  );

export interface RateExchange {
  /** Names the provider account; never holds a key. */
  account: string;
  provider: string;
  arrivals: readonly RateTicket[];
  /** All that wait here, arrivals included: those whose callers have gone are not granted. */
  attending: readonly string[];
  /** They keep their place, but ask again only later: not to be granted until then. */
  parked: readonly string[];
  reports: readonly RateReport[];
}

export interface RateAnswer {
  /** Of those that attend. */
  granted: string[];
  /** Of the others: milliseconds until the grant, if nothing changes. */
  expected: { ticket: string; ms: number }[];
}

/** The one place where calls to provider accounts are granted, for all workers. */
export interface RateStore {
  /** Reports first, then grants, atomically. `minuteMs`: how long a minute lasts, 60,000 but in tests. */
  exchange(exchange: RateExchange, minuteMs: number): Promise<RateAnswer>;
}
