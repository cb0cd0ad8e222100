import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { isJson } from '../domain/home/own-site.js';
import { refuseUnstorable } from './storable-input.js';

export interface ServerEnv {
  Bindings: HttpBindings;
}
export type Request = Context<ServerEnv>;

/** Keys of bodies with a model's words, or with what is not stored. */
const MODELS_WORDS = ['action', 'name', 'input', 'response', 'responses_create_params', 'verify_responses'];

/** JSON of a request; undefined: no body. Throws HTTPException (400) for invalid JSON. */
export async function bodyOf(c: Context): Promise<unknown> {
  const text = await c.req.text();
  return text === '' && !isJson(c.req.header('content-type')) ? undefined : readJson(text);
}

/** Throws HTTPException (400) for invalid JSON, BenchError (usage) for what cannot be stored. */
export function readJson(text: string): unknown {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new HTTPException(400, { message: `the body is no JSON: ${(cause as Error).message}`, cause });
  }
  refuseUnstorable(body, MODELS_WORDS);
  return body;
}

export const queryOf = (c: Context): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(c.req.queries()).map(([key, [one = '', ...more]]) => [
      key,
      more.length === 0 ? one : [one, ...more],
    ]),
  );
