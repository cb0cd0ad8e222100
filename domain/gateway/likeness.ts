import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from './json.js';
import { offeredTools } from './offered-tools.js';
import { atOnce, type Sliced } from './slices.js';
import type { Wire } from './wire.js';

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*';

/** What differs between starts of a program. Numbers stay: scores are compared. */
const OTHERWISE: readonly RegExp[] = [
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
  /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?)?/g,
  new RegExp(`\\b${MONTH} +\\d{1,2}\\b(?:,? +\\d{4}\\b)?`, 'g'),
  new RegExp(`\\b\\d{1,2} ${MONTH}(?: \\d{4})?\\b`, 'g'),
  /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*\b/g,
  /\b\d\d?:\d\d(?::\d\d(?:\.\d+)?)?\b/g,
  /(?<![\w.])\d+(?:\.\d+)? ?(?:ns|µs|us|ms|s|secs?|seconds?|minutes?)\b/g,
  /(?<![\w.])1[6-9]\d{8}(?:\.\d+|\d{3})?\b/g,
  /(?<=\/tmp\/)[\w.-]+/g,
  // Hexadecimal ids: both digits and letters.
  /\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{6,}\b/g,
];

/** Over megabytes without a break the patterns overflow the stack. */
const LONGEST_PIECE = 4096;

/** Ends after a line, else a word, if possible. No pattern spans lines. */
function pieceAt(text: string, from: number): string {
  const most = text.slice(from, from + LONGEST_PIECE);
  if (from + most.length >= text.length) return most;
  const end = most.lastIndexOf('\n') + 1 || most.lastIndexOf(' ') + 1 || most.length;
  return most.slice(0, end);
}

function* momentless(text: string): Sliced<string> {
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    const piece = pieceAt(text, from);
    pieces.push(OTHERWISE.reduce((rest, pattern) => rest.replaceAll(pattern, '~'), piece));
    from += piece.length;
    yield;
  }
  return pieces.join('');
}

export const withoutMoment = (text: string): string => atOnce(momentless(text));

/** Equal when a restarted program repeats its request, whatever its dates, sessions, durations. */
export function* likeness(wire: Wire, body: Json): Sliced<string> {
  const messages: unknown[] = [];
  for (const { role, content, toolCalls = [] } of wire.messages(body)) {
    const calls: unknown[] = [];
    const said = yield* momentless(content);
    for (const { name, arguments: given } of toolCalls) calls.push([name, yield* momentless(given)]);
    messages.push([role, said, calls]);
    yield;
  }
  const tools = (offeredTools(body) ?? []).map(({ name }) => name);
  const hash = createHash('sha256').update(`[${canonicalJson(wire.path)},${canonicalJson(tools)},[`);
  for (const [index, message] of messages.entries()) {
    hash.update(`${index === 0 ? '' : ','}${canonicalJson(message)}`);
    yield;
  }
  return hash.update(']]').digest('hex');
}
