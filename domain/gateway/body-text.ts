import { StringDecoder } from 'node:string_decoder';
import type { Json } from './json.js';
import type { Sliced } from './slices.js';
import { parsed } from './wire.js';

/** Few texts take more bytes per token, escapes included. */
const BYTES_PER_TOKEN = 16;
/** Of text, and of images in addition: what a worker reads without a stall. */
const MOST_OF_A_KIND = 8 * 1024 * 1024;

/** In bytes: a longer text does not fit the model's context. */
export const mostTextBytes = (contextWindow: number): number =>
  Math.min(contextWindow * BYTES_PER_TOKEN, MOST_OF_A_KIND);
export const mostBodyBytes = (contextWindow: number): number => mostTextBytes(contextWindow) + MOST_OF_A_KIND;

/** No conversation is as deep or long; readers recurse, and sort keys. */
const DEEPEST = 100;
const MOST_VALUES = 100_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

const PIECE = 1024 * 1024;

/** Whether JSON is small enough to parse at once; one pass, before parsing. */
function* isModest(bytes: Uint8Array): Sliced<boolean> {
  let depth = 0;
  let values = 0;
  let inText = false;
  for (let at = 0, next = PIECE; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inText = false;
    } else if (byte === QUOTE) inText = true;
    else if (byte === COMMA) values += 1;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values += 1;
      depth += 1;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
    if (depth > DEEPEST || values > MOST_VALUES) return false;
    if (at >= next) {
      next += PIECE;
      yield;
    }
  }
  return true;
}

/** In pieces: multibyte characters take a hundred times as long to decode as ASCII. */
function* decoded(bytes: Buffer): Sliced<string> {
  const decoder = new StringDecoder('utf8');
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE) {
    text += decoder.write(bytes.subarray(at, at + PIECE));
    yield;
  }
  return text + decoder.end();
}

export function* bodyOf(bytes: Buffer): Sliced<Json | string> {
  if (!(yield* isModest(bytes)))
    return `the body has over ${MOST_VALUES} values, or is nested over ${DEEPEST} levels deep`;
  return parsed(yield* decoded(bytes)) ?? 'the body is not a JSON object';
}
