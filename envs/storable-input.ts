import { BenchError } from '../domain/errors.js';
import { isObject } from './tools.js';

/** PostgreSQL refuses or changes NUL and lone surrogates. */
const isUnstorable = (text: string): boolean => /\0|\p{Surrogate}/u.test(text);

/** Valid JSON may be deep enough to exhaust the stack. */
const MOST_DEPTH = 100;

/**
 * Throws BenchError (usage) for a client's words that cannot be stored unchanged. `except`:
 * outermost keys of a model's words, which are an action whatever they are.
 */
export function refuseUnstorable(value: unknown, except: readonly string[] = [], path: readonly string[] = []): void {
  if (typeof value === 'string' && isUnstorable(value)) throw unstorable(path, WRONG_TEXT);
  if (typeof value !== 'object' || value === null) return;
  if (path.length > MOST_DEPTH) throw unstorable(path.slice(0, 3), `is nested deeper than ${MOST_DEPTH} levels`);
  for (const [key, inner] of Object.entries(value)) {
    if (except.includes(key)) {
      refuseDeep(inner, [...path, key]);
      continue;
    }
    if (isUnstorable(key)) throw unstorable(path, `has a key that ${WRONG_TEXT}`);
    refuseUnstorable(inner, Array.isArray(value) && path.length === 0 ? except : [], [...path, key]);
  }
}

/** Throws BenchError (usage). */
export function refuseDeep(value: unknown, path: readonly string[] = []): void {
  if (typeof value !== 'object' || value === null) return;
  if (path.length > MOST_DEPTH) throw unstorable(path.slice(0, 3), `is nested deeper than ${MOST_DEPTH} levels`);
  for (const [key, inner] of Object.entries(value)) refuseDeep(inner, [...path, key]);
}

/** In JSON-RPC, a model's words are in the params. */
export function refuseUnstorableCall(request: unknown): void {
  refuseUnstorable(request, ['params']);
  if (isObject(request)) refuseUnstorable(request['params'], ['name', 'arguments']);
}

const WRONG_TEXT = 'holds a NUL character or half of a surrogate pair';

const unstorable = (path: readonly string[], what: string): BenchError =>
  new BenchError('usage', `${path.length === 0 ? 'the request' : path.join('.').slice(0, 200)} ${what}`, {
    code: 'request.invalid',
    remedy: 'Correct it, then send it again.',
  });
