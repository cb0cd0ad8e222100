import type { Dimension, RateLimits } from '../rate-limits/account-state.js';

/** What a provider, or the way to it, can do wrong, and what that means for the run (docs/reference/models.md has the table). */
const CONSEQUENCES = {
  rate_limited: 'retry',
  overloaded: 'retry',
  server_error: 'retry',
  timeout: 'retry',
  unreachable: 'retry',
  connection_cut: 'retry',
  malformed_response: 'retry',
  not_an_api: 'retry',
  private_address: 'config_error',
  auth: 'config_error',
  permission: 'config_error',
  quota: 'config_error',
  unknown_model: 'config_error',
  bad_request: 'config_error',
  context_window: 'context',
} as const;
export type ProviderErrorKind = keyof typeof CONSEQUENCES;

/** The provider may have answered, and billed, without our seeing it. */
const ANSWERED_UNSEEN: readonly ProviderErrorKind[] = ['timeout', 'connection_cut', 'malformed_response'];
/** Of gateways that had passed the request on and then saw no usable answer; 520, 522 and 524 are Cloudflare's. */
const GATEWAY_LOST_ANSWER: readonly number[] = [502, 504, 520, 522, 524];

/** `retry`: again later, within a bound, then infra_error. The others end the run at once, as that end reason. */
export type ProviderConsequence = 'retry' | 'config_error' | 'context';

/** A longer wish of a provider is cut to this. */
export const MAX_RETRY_AFTER_MS = 600_000;

export interface RateRefusal {
  dimension: Dimension | null;
  stated: RateLimits;
  /** The provider counted, and next to nothing was left of the limit. */
  exhausted: boolean;
}
export interface ProviderErrorDetails {
  status?: number | undefined;
  retryAfterMs?: number | undefined;
  refusal?: RateRefusal | undefined;
  /** It came as a page in HTML: from a gateway, not from the provider itself. */
  page?: boolean | undefined;
}

/**
 * A call that brought no reply. The message holds our words, the status and the provider's codes: never its own text, which
 * may quote the prompt or the key. There is no `cause` for the same reason: it would go into histories.
 */
export class ProviderError extends Error {
  override name = 'ProviderError';
  readonly kind: ProviderErrorKind;
  readonly provider: string;
  readonly status: number | undefined;
  /** When the provider wants to be asked again; undefined: it did not say. */
  readonly retryAfterMs: number | undefined;
  /** Of rate_limited: which limit it was (null: unknown), and what the provider said of its limits. */
  readonly refusal: RateRefusal | undefined;
  readonly page: boolean;

  constructor(kind: ProviderErrorKind, provider: string, message: string, details: ProviderErrorDetails = {}) {
    super(message);
    this.kind = kind;
    this.provider = provider;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.refusal = details.refusal;
    this.page = details.page ?? false;
  }

  /** The same, in other words or with another wait. */
  with(change: { message?: string; retryAfterMs?: number }): ProviderError {
    const { message = this.message, retryAfterMs = this.retryAfterMs } = change;
    const { status, refusal, page } = this;
    return new ProviderError(this.kind, this.provider, message, { status, retryAfterMs, refusal, page });
  }

  get consequence(): ProviderConsequence {
    return CONSEQUENCES[this.kind];
  }
  get retryable(): boolean {
    return this.consequence === 'retry';
  }
  /** So answers, or does not, what is no provider's address, or a dead one's. */
  get suspectAddress(): boolean {
    return this.kind === 'unreachable' || this.kind === 'not_an_api' || (this.page && this.retryable);
  }
  /** Whether the call may be on the provider's bill. */
  get billed(): 'no' | 'unknown' {
    const unseen = ANSWERED_UNSEEN.includes(this.kind) || GATEWAY_LOST_ANSWER.includes(this.status ?? 0);
    return unseen ? 'unknown' : 'no';
  }
}
