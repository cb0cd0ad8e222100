import type { ModelReply } from '../domain/model/model.js';
import { type Dimension, DIMENSIONS, type RateLimits } from '../domain/rate-limits/account-state.js';
import { MAX_RETRY_AFTER_MS } from '../domain/model/provider-error.js';

/** Limits, what remains, and refill times in headers of OpenAI, compatibles and Anthropic. */
const HEADERS = {
  limit: {
    requests: ['x-ratelimit-limit-requests', 'anthropic-ratelimit-requests-limit'],
    tokens: ['x-ratelimit-limit-tokens', 'anthropic-ratelimit-tokens-limit'],
  },
  remaining: {
    requests: ['x-ratelimit-remaining-requests', 'anthropic-ratelimit-requests-remaining'],
    tokens: [
      'x-ratelimit-remaining-tokens',
      'anthropic-ratelimit-tokens-remaining',
      'anthropic-ratelimit-input-tokens-remaining',
      'anthropic-ratelimit-output-tokens-remaining',
    ],
  },
  reset: {
    requests: ['x-ratelimit-reset-requests', 'anthropic-ratelimit-requests-reset'],
    tokens: ['x-ratelimit-reset-tokens', 'anthropic-ratelimit-tokens-reset'],
  },
} as const;

const said = (headers: Headers | undefined, names: readonly string[]): string[] =>
  names.flatMap((name) => headers?.get(name)?.trim() ?? []);

const count = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,12}(\.\d+)?$/.test(text) ? Number(text) : null;

/** Per minute, where stated. */
export function statedLimits(headers: Headers | undefined): RateLimits {
  const of = (one: Dimension): number | null => count(said(headers, HEADERS.limit[one])[0]) || null;
  return { requests: of('requests'), tokens: of('tokens') };
}

export function withStatedLimits(reply: ModelReply, headers: Headers): ModelReply {
  const stated = statedLimits(headers);
  return stated.requests === null && stated.tokens === null ? reply : { ...reply, statedLimits: stated };
}

/** With less of a limit left than this share, a refusal was due to it. */
const NEXT_TO_NOTHING = 0.05;

/** Some refusals have other causes, or come from a proxy. */
export function isExhausted(headers: Headers | undefined, dimension: Dimension | null): boolean {
  if (dimension === null) return false;
  const limit = count(said(headers, HEADERS.limit[dimension])[0]) ?? 0;
  return said(headers, HEADERS.remaining[dimension]).some(
    (text) => (count(text) ?? Infinity) <= limit * NEXT_TO_NOTHING,
  );
}

/** The limit with nothing left, else by the provider's text (which is not passed on). */
export function refusedDimension(headers: Headers | undefined, words: string): Dimension | null {
  const used = DIMENSIONS.filter((one) => said(headers, HEADERS.remaining[one]).some((text) => count(text) === 0));
  if (used.length === 1) return used[0] ?? null;
  const tokens = /\btokens?\b|\bTPM\b/i.test(words);
  const requests = /\brequests\b|requests? per|\bRPM\b/i.test(words);
  return tokens === requests ? null : tokens ? 'tokens' : 'requests';
}

/** `6m0s`, `1.5s`, `120ms`, or a date. Undefined: nothing usable. */
export function resetMs(headers: Headers | undefined, dimension: Dimension | null, now: Date): number | undefined {
  const [text] = said(headers, HEADERS.reset[dimension ?? 'requests']);
  if (dimension === null || text === undefined) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
  const ms =
    parts.length > 0 && parts.map(([part]) => part).join('') === text
      ? parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (units[unit ?? ''] ?? 0), 0)
      : Date.parse(text) - now.getTime();
  return Number.isFinite(ms) ? Math.min(Math.max(0, Math.ceil(ms)), MAX_RETRY_AFTER_MS) : undefined;
}
