import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from './json.js';
import { offeredTools } from './offered-tools.js';
import type { Wire } from './wire.js';

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*';

/** What another start of the same program says otherwise. Numbers stay: scores are compared. */
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
  // Ids in hexadecimal: both digits and letters.
  /\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{6,}\b/g,
];

export const withoutMoment = (text: string): string =>
  OTHERWISE.reduce((rest, pattern) => rest.replaceAll(pattern, '~'), text);

/**
 * Says that a program that was started again asks what it asked before: the same conversation with the same tools, whatever date,
 * session or duration stands in it.
 */
export function likeness(wire: Wire, body: Json): string {
  const messages = wire
    .messages(body)
    .map(({ role, content, toolCalls = [] }) => [
      role,
      withoutMoment(content),
      toolCalls.map(({ name, arguments: given }) => [name, withoutMoment(given)]),
    ]);
  const tools = (offeredTools(body) ?? []).map(({ name }) => name);
  return createHash('sha256')
    .update(canonicalJson([wire.path, tools, messages]))
    .digest('hex');
}
