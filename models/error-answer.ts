import { isJson, type Json } from '../domain/gateway/json.js';
import { type ErrorSaid, errorSaid } from '../domain/model/error-said.js';
import type { FailedAnswer } from '../domain/model/failed-answer.js';

interface Answered {
  status: number;
  headers: Headers;
  said: ErrorSaid;
  /** The body is JSON, so it comes from a program that speaks the API. */
  json: boolean;
  /** If it is an object. */
  body: Json | null;
  page: boolean;
  /** Absent: by kind and status. */
  billed?: FailedAnswer['billed'];
}

/** An answer with an error in place of a reply, by status or inside a success; untrusted. */
export class ErrorAnswer extends Error {
  override name = 'ErrorAnswer';
  constructor(readonly answered: Answered) {
    super('the provider answered with an error');
  }
}

export const isPage = (headers: Headers, text: string): boolean =>
  /^\s*text\/html\b/i.test(headers.get('content-type') ?? '') ||
  /^[\s\ufeff]*<(!doctype\s+html|html)\b/i.test(text.slice(0, 200));

/** By its status. */
export function errorAnswer(status: number, headers: Headers, text: string): ErrorAnswer {
  const body = jsonIn(text);
  const said = errorSaid(body ?? text);
  const json = body !== undefined;
  return new ErrorAnswer({
    status,
    headers,
    said,
    json,
    body: isJson(body) ? body : null,
    page: isPage(headers, text),
  });
}

/** Inside a success. */
export const errorInside = ({ status, said, billed }: FailedAnswer, headers: Headers): ErrorAnswer =>
  new ErrorAnswer({ status, headers, said, billed, json: true, body: null, page: false });

function jsonIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
