import type { Dimension, RateLimits } from '../rate-limits/account-state.js';

/** Faults of a provider or the network, and their consequence (docs/reference/models.md). */
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
  body_too_large: 'config_error',
  context_window: 'context',
} as const;
export type ProviderErrorKind = keyof typeof CONSEQUENCES;

/** The provider may have answered, and billed, unseen. */
const ANSWERED_UNSEEN: readonly ProviderErrorKind[] = ['timeout', 'connection_cut', 'malformed_response'];
/** Gateways that got no usable answer to a forwarded request; 520, 522, 524 are Cloudflare's. */
const GATEWAY_LOST_ANSWER: readonly number[] = [502, 504, 520, 522, 524];

/** `retry`: within a bound, then infra_error. The others are the run's end reason at once. */
export type ProviderConsequence = 'retry' | 'config_error' | 'context';

/** Cap on a provider's wait. */
export const MAX_RETRY_AFTER_MS = 600_000;

export interface RateRefusal {
  dimension: Dimension | null;
  stated: RateLimits;
  /** The provider's count left almost none of the limit. */
  exhausted: boolean;
}
export interface ProviderErrorDetails {
  status?: number | undefined;
  retryAfterMs?: number | undefined;
  refusal?: RateRefusal | undefined;
  /** An HTML page: from a gateway, not the provider. */
  page?: boolean | undefined;
  /** Absent: by kind and status. */
  billed?: 'no' | 'unknown' | undefined;
  /** Retried although its kind is not: it came between good answers. */
  passing?: boolean | undefined;
}

/**
 * A call without a reply. The message has our words, the status and the provider's codes; its own
 * text may quote the prompt or the key. No `cause`, which would go into histories.
 */
export class ProviderError extends Error {
  override name = 'ProviderError';
  readonly kind: ProviderErrorKind;
  readonly provider: string;
  readonly status: number | undefined;
  /** The provider's wait; undefined: not stated. */
  readonly retryAfterMs: number | undefined;
  /** Of rate_limited: the limit (null: unknown), and the provider's statement of limits. */
  readonly refusal: RateRefusal | undefined;
  readonly page: boolean;
  private readonly saidBilled: 'no' | 'unknown' | undefined;
  readonly passing: boolean;

  constructor(kind: ProviderErrorKind, provider: string, message: string, details: ProviderErrorDetails = {}) {
    super(message);
    this.kind = kind;
    this.provider = provider;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.refusal = details.refusal;
    this.page = details.page ?? false;
    this.saidBilled = details.billed;
    this.passing = details.passing ?? false;
  }

  with(change: { message?: string; retryAfterMs?: number; passing?: boolean }): ProviderError {
    const { message = this.message, retryAfterMs = this.retryAfterMs, passing = this.passing } = change;
    const { status, refusal, page, saidBilled: billed } = this;
    const details = { status, retryAfterMs, refusal, page, billed, passing };
    return new ProviderError(this.kind, this.provider, message, details);
  }

  get consequence(): ProviderConsequence {
    return CONSEQUENCES[this.kind];
  }
  get retryable(): boolean {
    return this.passing || this.consequence === 'retry';
  }
  /** A wrong or dead address may cause this. */
  get suspectAddress(): boolean {
    return this.kind === 'unreachable' || this.kind === 'not_an_api' || (this.page && this.retryable);
  }
  /** Whether the provider may bill the call. */
  get billed(): 'no' | 'unknown' {
    if (this.saidBilled !== undefined) return this.saidBilled;
    const unseen = ANSWERED_UNSEEN.includes(this.kind) || GATEWAY_LOST_ANSWER.includes(this.status ?? 0);
    return unseen ? 'unknown' : 'no';
  }
}
