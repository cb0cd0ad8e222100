import { BenchError } from '../../../domain/errors.js';

/** Where a page ends, as callers hand it back: opaque to them. */
export const cursorOf = (place: readonly unknown[]): string => Buffer.from(JSON.stringify(place)).toString('base64url');

/** Throws BenchError (usage): it is of another list. `kind` is its first entry. */
export function placeOf(cursor: string, kind: string, length: number): unknown[] {
  let place: unknown;
  try {
    place = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    place = null;
  }
  if (Array.isArray(place) && place.length === length && place[0] === kind) return place as unknown[];
  throw new BenchError('usage', 'after: it is no place in this list', {
    code: 'request.invalid',
    remedy: 'Give the `next` of a page of the same list in the same order, or leave it out.',
  });
}
