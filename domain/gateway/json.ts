/** Untrusted JSON of clients and providers, forwarded as far as it is allowed. */
export type Json = Record<string, unknown>;

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const objectOf = (value: unknown): Json => (isJson(value) ? value : {});
export const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJson) : []);
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
export const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** Problem of a list of objects; null: none, or absent. */
export const listProblem = (body: Json, key: string): string | null =>
  body[key] === undefined || (Array.isArray(body[key]) && body[key].every(isJson))
    ? null
    : `${key}: must be a list of objects`;

/** `stream` decides how the answer is read, so we and the provider must agree on it. */
export const flagProblem = ({ stream }: Json): string | null =>
  stream === undefined || stream === null || typeof stream === 'boolean' ? null : 'stream: must be true or false';

export const pick = (from: Json, keys: readonly string[]): Json =>
  Object.fromEntries(keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]]])));

/** With sorted keys. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (!isJson(value)) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
}

/** A string, or the text among its parts. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => textOf(part['text']) || textOf(part['output']) || contentText(part['content'] ?? ''))
    .filter((text) => text !== '')
    .join('\n');
}
