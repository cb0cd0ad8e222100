import type { Dimension, RateLimits } from '../rate-limits/account-state.js';

/** A call that waits for its grant. */
export interface RateTicket {
  /** Stable for one question, so a retry keeps its place. */
  ticket: string;
  /** Batches take turns, by priority. */
  batchId: string;
  /** Estimated prompt plus longest reply. */
  tokens: number;
  /** From the model's configuration, per minute. */
  declared: RateLimits;
}

export type RateReport = { ticket: string } &
  /** `tokens` null: unknown. */
  (
    | { kind: 'settled'; tokens: number | null; stated?: RateLimits | undefined }
    /** Rate-limited; `dimension` null: the provider did not say which. */
    | {
        kind: 'limited';
        dimension: Dimension | null;
        retryAfterMs?: number | undefined;
        stated?: RateLimits | undefined;
        /** The provider's count left almost none of the limit. */
        exhausted?: boolean | undefined;
      }
    /** Not made, or abandoned while waiting. */
    | { kind: 'released' }
  );

export interface RateExchange {
  /** Names the provider account; never contains a key. */
  account: string;
  provider: string;
  arrivals: readonly RateTicket[];
  /** All waiting callers here, arrivals included; absent callers get no grant. */
  attending: readonly string[];
  /** They keep their place, but are not granted until they ask again. */
  parked: readonly string[];
  reports: readonly RateReport[];
}

export interface RateAnswer {
  /** Among `attending`. */
  granted: string[];
  /** The rest of `attending`: milliseconds until the grant, if nothing changes. */
  expected: { ticket: string; ms: number }[];
}

/** Grants calls to provider accounts, for all workers. */
export interface RateStore {
  /** Applies reports, then grants, atomically. `minuteMs`: 60,000 except in tests. */
  exchange(exchange: RateExchange, minuteMs: number): Promise<RateAnswer>;
}
