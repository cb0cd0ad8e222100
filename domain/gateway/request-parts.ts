import { createHash } from 'node:crypto';
import { canonicalJson, isJson, type Json } from './json.js';
import type { Sliced } from './slices.js';

/** Shorter parts stay in the request. */
const LEAST = 200;
const KEY = '$part';

const hashIn = (value: unknown): string | null => {
  if (!isJson(value)) return null;
  const { [KEY]: hash, ...rest } = value;
  return typeof hash === 'string' && Object.keys(rest).length === 0 ? hash : null;
};

/** A request whose long parts are stored by hash. */
export interface SplitRequest {
  request: Json;
  parts: ReadonlyMap<string, unknown>;
}

/** A conversation's requests repeat messages, tools and instructions; each is kept once. */
export function* splitRequest(body: Json): Sliced<SplitRequest> {
  const parts = new Map<string, unknown>();
  const apart = (part: unknown): unknown => {
    const text = canonicalJson(part) ?? '';
    // A part that looks like a reference must be replaced by one.
    if (text.length < LEAST && hashIn(part) === null) return part;
    const hash = createHash('sha256').update(text).digest('hex');
    parts.set(hash, part);
    return { [KEY]: hash };
  };
  const request: [string, unknown][] = [];
  for (const [key, value] of Object.entries(body)) {
    const list: unknown[] = [];
    for (const part of Array.isArray(value) ? value : []) {
      list.push(apart(part));
      yield;
    }
    request.push([key, Array.isArray(value) ? list : apart(value)]);
  }
  return { request: Object.fromEntries(request), parts };
}

export const partsOf = (request: Json): string[] =>
  Object.values(request)
    .flatMap((value): unknown[] => (Array.isArray(value) ? value : [value]))
    .flatMap((value) => hashIn(value) ?? []);

/** The original request; null: a part is missing. */
export function joinRequest({ request, parts }: SplitRequest): Json | null {
  if (partsOf(request).some((hash) => !parts.has(hash))) return null;
  const whole = (value: unknown): unknown => {
    const hash = hashIn(value);
    return hash === null ? value : parts.get(hash);
  };
  return Object.fromEntries(
    Object.entries(request).map(([key, value]) => [key, Array.isArray(value) ? value.map(whole) : whole(value)]),
  );
}
