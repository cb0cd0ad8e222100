import { isJson, type Json, listOf } from '../gateway/json.js';
import { type ErrorSaid, errorSaid } from './error-said.js';
import type { ReportedUsage } from './reported-usage.js';

/** A success that has an error in place of an answer, or after a part of one. */
export interface FailedAnswer {
  /** That the error would have had as an answer of its own. */
  status: number;
  said: ErrorSaid;
  /** Whether the provider may bill what it generated before. */
  billed: 'no' | 'unknown';
}

const BY_WORDS: readonly [RegExp, status: number][] = [
  [/insufficient_quota|billing/i, 402],
  [/rate_?limit|too_many_requests|resource_exhausted/i, 429],
  [/overloaded|unavailable/i, 529],
  [/authentication|invalid_api_key|unauthenticated/i, 401],
  [/permission/i, 403],
  [/not_found/i, 404],
  [/request_too_large/i, 413],
  [/invalid|bad_request|context|content_filter|content_policy/i, 400],
];

/** By its code, else by its words; 500: it says neither. */
function statusOf({ code, type }: ErrorSaid): number {
  if (/^[45]\d\d$/.test(code)) return Number(code);
  return BY_WORDS.find(([words]) => words.test(`${code} ${type}`))?.[1] ?? 500;
}

const failed = (error: unknown, billed: FailedAnswer['billed']): FailedAnswer => {
  const said = errorSaid({ error });
  return { status: statusOf(said), said, billed };
};

const isError = (value: unknown): boolean => isJson(value) || (typeof value === 'string' && value !== '');

/** Generated tokens may be billed; the bare prompt of a failed call is not. */
export const billedWith = (reported: ReportedUsage | null): FailedAnswer['billed'] =>
  reported === null || reported.usage.outputTokens === 0 ? 'no' : 'unknown';

const NO_CHOICES = { message: 'no choices', type: 'server_error', code: 502 };

/** Of a chat completion, or of a chunk of one. */
export function chatFailure(answer: Json, billed: FailedAnswer['billed']): FailedAnswer | null {
  const { error, choices } = answer;
  const [choice] = listOf(choices);
  // OpenRouter ends a choice so when the provider behind it was lost.
  if (choice !== undefined && (choice['finish_reason'] === 'error' || isError(choice['error'])))
    return failed(choice['error'] ?? error ?? { ...NO_CHOICES, message: 'the upstream was lost' }, billed);
  if (choice === undefined && isError(error)) return failed(error, billed);
  return choices === null ? failed(NO_CHOICES, billed) : null;
}

/** Of an Anthropic message, or of an event of its stream. */
export function messagesFailure(answer: Json, billed: FailedAnswer['billed']): FailedAnswer | null {
  if (Array.isArray(answer['content'])) return null;
  if (isError(answer['error'])) return failed(answer['error'], billed);
  return answer['type'] === 'error' ? failed(answer, billed) : null;
}

/** Of a response of OpenAI. */
export function responsesFailure(answer: Json, billed: FailedAnswer['billed']): FailedAnswer | null {
  if (answer['status'] !== 'failed' && !isError(answer['error'])) return null;
  return failed(answer['error'] ?? { type: 'server_error' }, billed);
}

/** Of Gemini's generateContent. */
export const geminiFailure = ({ error }: Json, billed: FailedAnswer['billed']): FailedAnswer | null =>
  isError(error) ? failed(error, billed) : null;
