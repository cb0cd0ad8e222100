import { z } from 'zod';
import type { ErrorSaid } from '../domain/model/error-said.js';
import {
  MAX_RETRY_AFTER_MS,
  ProviderError,
  type ProviderErrorDetails,
  type ProviderErrorKind,
} from '../domain/model/provider-error.js';
import { CallTookTooLong } from './bounded-call.js';
import { NotConnected } from './connection.js';
import { UnusableResponse } from './decoded-body.js';
import { ErrorAnswer } from './error-answer.js';
import { HtmlAnswer } from './http-fetch.js';
import { PrivateAddress } from './public-address.js';
import { isExhausted, refusedDimension, resetMs, statedLimits } from './stated-limits.js';

/** Untrusted. `text` distinguishes cases, but is never passed on. */
interface Answer extends ErrorSaid {
  status: number;
  headers: Headers;
  json: boolean;
  page: boolean;
  billed?: ProviderErrorDetails['billed'];
}

/** The SDKs wrap what `fetch` throws. */
function answerOf(error: unknown, depth = 0): Answer | null {
  if (!(error instanceof Error) || depth > 4) return null;
  if (error instanceof ErrorAnswer) {
    const { said, ...answered } = error.answered;
    return { ...answered, ...said };
  }
  const { status, headers } = error as { status?: unknown; headers?: unknown };
  // A redirect, which is not followed.
  if (typeof status === 'number' && headers instanceof Headers)
    return { status, headers, json: false, page: false, text: '', code: '', type: '', param: '', retryDelay: '' };
  return answerOf(error.cause, depth + 1);
}

/** Prompt and answer do not fit together, in the words of many servers. */
const TOO_LONG = new RegExp(
  [
    /context[ _](length|window|size)|exceeds? (context|model token) limit|larger than the context/,
    /(prompt|input|request) (is )?too long|input token length too long|prompt exceeds max length/,
    /too many (input )?tokens|maximum prompt length|exceeds the maximum (number of tokens|allowed length)/,
    /input token count (is|of|exceeds)|range of input length/,
    /`?inputs`? tokens \+ `?max_new_tokens`? must be|`?inputs`? must have less than/,
    // A limit of the answer alone is a wrong setting.
    /'?max_(completion_)?tokens'?.{0,50} is too large(?!.{0,60}at most \d+ completion tokens)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'is',
);
const NO_MONEY = /credit balance|insufficient[ _](quota|funds|balance)|billing|exceeded your current quota/i;
const FILTERED =
  /content[ _](filter|policy|management)|content_policy_violation|ResponsibleAIPolicy|safety (system|policy)|requires moderation/i;
const NO_MODEL = /model.{0,80}(not (found|exist)|does not exist)|(no such|unknown|invalid) model|not_found_error/i;

/** Gemini and xAI say so with 400. */
const WRONG_KEY = /api[_ ]key not valid|api key expired|(incorrect|invalid) api key/i;

/** In the words of proxies, for bodies that no model has seen. */
const BODY_TOO_LARGE = /entity too large|payload ?too ?large|request size limit|request too long|body (is )?too large/i;
/** Of a rate limit that is smaller than the request: no window is too small. */
const ABOVE_RATE = /rate_limit_exceeded/;

function kindOf({ status, json, text, code, type }: Answer): ProviderErrorKind {
  const said = `${code} ${type} ${text}`;
  if (status === 401) return 'auth';
  if (status === 402) return 'quota';
  if (status === 403) return 'permission';
  if (status === 404) return 'unknown_model';
  if (status === 408) return 'timeout';
  if (status === 413 && (!json || BODY_TOO_LARGE.test(text))) return 'body_too_large';
  if (status === 413) return ABOVE_RATE.test(code) ? 'bad_request' : 'context_window';
  if (status === 429) return code === 'insufficient_quota' || type === 'insufficient_quota' ? 'quota' : 'rate_limited';
  if (status === 503 || status === 529) return 'overloaded';
  if (status === 500 && json && TOO_LONG.test(said)) return 'context_window';
  if (status >= 500 || status === 409 || status === 425) return 'server_error';
  if (status === 400 || status === 422) {
    if (TOO_LONG.test(said)) return 'context_window';
    if (WRONG_KEY.test(said)) return 'auth';
    if (NO_MONEY.test(said)) return 'quota';
    if (code === 'model_not_found' || NO_MODEL.test(said)) return 'unknown_model';
  }
  return 'bad_request';
}

export function isContentPolicy(error: unknown): boolean {
  const answer = answerOf(error);
  if (answer === null || ![400, 403, 422].includes(answer.status)) return false;
  return FILTERED.test(`${answer.code} ${answer.type} ${answer.text}`);
}

/** Seconds or a date (RFC 9110), OpenAI's milliseconds, or Google's delay; capped. */
function retryAfterMs({ headers, retryDelay }: Answer, now: Date): number | undefined {
  const cap = (ms: number): number | undefined =>
    Number.isFinite(ms) && ms >= 0 ? Math.min(Math.ceil(ms), MAX_RETRY_AFTER_MS) : undefined;
  const exact = headers.get('retry-after-ms')?.trim();
  if (exact !== undefined && /^\d+(\.\d+)?$/.test(exact)) return cap(Number(exact));
  const text = headers.get('retry-after')?.trim();
  if (text === undefined || text === '') {
    const seconds = /^(\d+(\.\d+)?)s$/.exec(retryDelay)?.[1];
    return seconds === undefined ? undefined : cap(Number(seconds) * 1000);
  }
  if (/^-?\d+(\.\d+)?$/.test(text)) return cap(Number(text) * 1000);
  return cap(Math.max(0, Date.parse(text) - now.getTime()));
}

/** The provider's code, if it is a single word without the key. */
const codeWord = (text: string, key: string): string =>
  /^[\w.[\]-]{1,64}$/.test(text) && (key === '' || !text.includes(key)) ? text : '';

const WHAT: Record<ProviderErrorKind, string> = {
  rate_limited: 'limits the rate of calls',
  overloaded: 'is overloaded',
  server_error: 'failed',
  timeout: 'did not answer in time',
  unreachable: 'could not be reached',
  connection_cut: 'cut the connection',
  malformed_response: 'sent a malformed response',
  not_an_api: 'answered with an HTML page, so it is not an API',
  private_address: 'is at a private address that no BENCH_ROLLOUT_BASE_URL of the worker lists',
  auth: 'does not accept the key',
  permission: 'does not allow this key to use the model',
  quota: 'reports that the account has no credit left',
  unknown_model: 'does not know the model or the address',
  bad_request: 'does not accept the request',
  body_too_large: 'did not get the request: the proxy at this address refuses its size',
  context_window: 'reports that the prompt exceeds the context window',
};

export interface CallFacts {
  provider: string;
  model: string;
  apiKey: string;
  now: Date;
  /** Length of the request's body. */
  bodyBytes?: () => number;
}

function systemCode(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > 4) return '';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code) ? code : systemCode(error.cause, depth + 1);
}

/** Checks causes too: the SDKs wrap what `fetch` throws. */
function causedBy(error: unknown, type: new (...args: never[]) => Error, depth = 0): boolean {
  if (error instanceof type) return true;
  return error instanceof Error && depth < 5 && causedBy(error.cause, type, depth + 1);
}

/** A typed error without text from outside. */
export function asProviderError(error: unknown, facts: CallFacts): ProviderError {
  if (error instanceof ProviderError) return error;
  const { provider, apiKey } = facts;
  const model = facts.model.slice(0, 100);
  const build = (kind: ProviderErrorKind, notes: string[], details: ProviderErrorDetails = {}) => {
    const said = notes.filter((note) => note !== '').join(', ');
    return new ProviderError(
      kind,
      provider,
      `${provider} ${WHAT[kind]} (${model}${said === '' ? '' : `: ${said}`})`,
      details,
    );
  };
  const answer = answerOf(error);
  if (answer !== null) {
    const id = answer.headers.get('x-request-id') ?? answer.headers.get('request-id') ?? '';
    const requestId = codeWord(id, apiKey);
    const { page, billed } = answer;
    const kind = kindOf(answer);
    const words = new Set([answer.type, answer.code, answer.param].map((text) => codeWord(text, apiKey)));
    words.delete(String(answer.status));
    const notes = [
      `status ${answer.status}`,
      kind === 'body_too_large' && facts.bodyBytes !== undefined ? `a body of ${facts.bodyBytes()} bytes` : '',
      page ? 'an HTML page' : '',
      ...words,
      requestId === '' ? '' : `request ${requestId}`,
    ];
    const wanted = retryAfterMs(answer, facts.now);
    if (kind !== 'rate_limited')
      return build(kind, notes, { status: answer.status, retryAfterMs: wanted, page, billed });
    const dimension = refusedDimension(answer.headers, `${answer.type} ${answer.code} ${answer.text}`);
    return build(kind, notes, {
      ...{ status: answer.status, billed },
      retryAfterMs: wanted ?? resetMs(answer.headers, dimension, facts.now),
      refusal: {
        dimension,
        stated: statedLimits(answer.headers),
        exhausted: isExhausted(answer.headers, dimension),
      },
    });
  }
  if (causedBy(error, CallTookTooLong)) return build('timeout', [(error as Error).message]);
  if (causedBy(error, PrivateAddress)) return build('private_address', []);
  if (causedBy(error, HtmlAnswer)) return build('not_an_api', []);
  if (causedBy(error, UnusableResponse) || causedBy(error, SyntaxError) || causedBy(error, z.ZodError))
    return build('malformed_response', []);
  const code = systemCode(error);
  if (causedBy(error, NotConnected)) return build('unreachable', [code]);
  return build(code === 'ETIMEDOUT' ? 'timeout' : 'connection_cut', [code]);
}
