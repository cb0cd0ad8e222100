import { BenchError } from '../domain/errors.js';
import { isObject } from './tools.js';

/** A text that PostgreSQL cannot store, or would store as another: with a NUL, or half of a surrogate pair. */
const isUnstorable = (text: string): boolean => /\0|\p{Surrogate}/u.test(text);

/** Deeper than any request of ours. JSON may be as deep as it is long, and what reads it would run out of stack. */
const MOST_DEPTH = 100;

/**
 * Throws BenchError (usage) for ids, labels and other words of a client that cannot be stored as they are. `except`: keys of the outermost
 * objects that hold what a model wrote, which is an action whatever it is.
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

/** Throws BenchError (usage) for what is nested too deep to be read. */
export function refuseDeep(value: unknown, path: readonly string[] = []): void {
  if (typeof value !== 'object' || value === null) return;
  if (path.length > MOST_DEPTH) throw unstorable(path.slice(0, 3), `is nested deeper than ${MOST_DEPTH} levels`);
  for (const [key, inner] of Object.entries(value)) refuseDeep(inner, [...path, key]);
}

/** A request of JSON-RPC: what a model wrote is the call of a tool. */
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
