import type { LimitAnswer, ProgramClient } from '../agent/program.js';
import type { Json } from './json.js';
import type { Wire } from './wire.js';

export interface Answer {
  status: number;
  body: Json;
  headers?: Readonly<Record<string, string>>;
}

/** Prevents retries by Anthropic's SDK. */
const NOT_AGAIN = { 'x-should-retry': 'false' };

const TYPES: Record<number, [openai: string, anthropic: string]> = {
  400: ['invalid_request_error', 'invalid_request_error'],
  401: ['authentication_error', 'authentication_error'],
  403: ['invalid_request_error', 'permission_error'],
  404: ['invalid_request_error', 'not_found_error'],
  413: ['invalid_request_error', 'request_too_large'],
  429: ['rate_limit_error', 'rate_limit_error'],
  503: ['server_error', 'overloaded_error'],
};

export function refusal(wire: Wire, status: number, message: string, code: string | null = null): Answer {
  const [openai, anthropic] = TYPES[status] ?? ['server_error', 'api_error'];
  const type = wire.client === 'anthropic' ? anthropic : openai;
  return { status, body: wire.error({ status, type, code, message }) };
}

export const wrongToken = (wire: Wire): Answer => ({
  ...refusal(wire, 401, 'this is not the token of this run', 'invalid_token'),
  headers: NOT_AGAIN,
});

export const otherModel = (wire: Wire, asked: string, model: string): Answer =>
  refusal(
    wire,
    404,
    `this run is played by ${model}; ${JSON.stringify(asked.slice(0, 100))} is not available to it`,
    'model_not_found',
  );

export const later = (wire: Wire, status: 429 | 503, message: string, seconds: number): Answer => ({
  ...refusal(wire, status, message, status === 429 ? 'rate_limit_exceeded' : null),
  headers: { 'retry-after': String(Math.min(30, Math.max(1, Math.ceil(seconds)))) },
});

const BY_WIRE: Readonly<Record<ProgramClient, LimitAnswer>> = {
  ...{ anthropic: 'billing_error', 'openai-responses': 'insufficient_quota' },
  ...{ 'openai-chat': 'unauthorized', gemini: 'unauthorized' },
};

/** By the client's user agent, else its wire: no single status ends all clients. */
export function limitAnswerOf(wire: Wire, declared: LimitAnswer | undefined, userAgent: string): LimitAnswer {
  if (declared !== undefined) return declared;
  if (/^claude-cli\//i.test(userAgent)) return 'billing_error';
  if (/^codex/i.test(userAgent)) return 'insufficient_quota';
  if (/litellm\/|^(?:Async)?OpenAI\/Python/i.test(userAgent)) return 'unauthorized';
  return BY_WIRE[wire.client];
}

/** The run's limit is reached: never 403, 5xx or a wait, after which clients retry. */
export function limitReached(wire: Wire, how: LimitAnswer, message: string): Answer {
  const type = wire.client === 'anthropic' ? 'billing_error' : 'insufficient_quota';
  const status = how === 'unauthorized' ? 401 : 429;
  const body = wire.error({ status, type, code: type, message });
  if (how === 'unauthorized') return { status, body, headers: NOT_AGAIN };
  return { status, body, ...(how === 'billing_error' && { headers: NOT_AGAIN }) };
}
