/** Shorter values occur by chance in innocent text. */
export const SHORTEST_SECRET = 6;
/** From this length on, its beginning alone identifies a key. */
const LONG = 16;
/** Characters at a masked key's beginning or end that identify it. */
const KNOWN_START = 8;
const KNOWN_END = 4;
const REDACTED = '[redacted]';

const hex = (char: string): string => char.charCodeAt(0).toString(16).padStart(4, '0');
const CONTROLS: Record<string, string> = { '\n': 'n', '\r': 'r', '\t': 't' };

/** A character verbatim, JSON-escaped any number of times, or URL-encoded. */
function written(char: string): string {
  const literal = char.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  const forms = [`\\\\*${literal}`, `\\\\+u${hex(char)}`];
  if (CONTROLS[char] !== undefined) forms.push(`\\\\+${CONTROLS[char]}`);
  if (char.charCodeAt(0) < 0x80) forms.push(`%${hex(char).slice(2)}`);
  return `(?:${forms.join('|')})`;
}
/** A key may span lines. */
const GAP = '(?:\\s|\\\\+[nrt])*';

interface Finder {
  secret: string;
  head: RegExp;
  headLength: number;
}

function finder(secret: string): Finder {
  const headLength = secret.length < LONG ? secret.length : Math.min(40, Math.max(12, secret.length >> 1));
  const head = [...secret.slice(0, headLength)].map(written).join(GAP);
  return { secret, headLength, head: new RegExp(head, 'gi') };
}

/** End of a match at `from`, with as much of the key as follows. */
function endOf({ secret, headLength }: Finder, text: string, from: number): number {
  let end = from;
  for (let i = headLength; i < secret.length; i++) {
    const char = secret.charAt(i);
    if (text.charAt(end) === char) {
      end += 1;
      continue;
    }
    const next = new RegExp(`${GAP}${written(char)}`, 'iy');
    next.lastIndex = end;
    if (!next.test(text)) break;
    end = next.lastIndex;
  }
  return end;
}

function withoutKey(text: string, one: Finder): string {
  let result = '';
  let after = 0;
  one.head.lastIndex = 0;
  for (let found = one.head.exec(text); found !== null; found = one.head.exec(text)) {
    const end = endOf(one, text, one.head.lastIndex);
    result += text.slice(after, found.index) + REDACTED;
    after = one.head.lastIndex = end;
  }
  return result + text.slice(after);
}

/** `sk-proj-****wxyz`, `sk-…wxyz`: as providers display keys. */
const MASKED = /([\w-]*)(?:\*{2,}|\.{3,}|•{2,}|…+)([\w-]*)/g;

function withoutMasked(text: string, secrets: readonly string[]): string {
  return text.replace(MASKED, (whole, start: string, end: string) => {
    const shows = secrets.some(
      (secret) =>
        secret.startsWith(start) &&
        secret.endsWith(end) &&
        start.length + end.length < secret.length &&
        (start.length >= KNOWN_START || end.length >= KNOWN_END),
    );
    return shows ? REDACTED : whole;
  });
}

/**
 * Removes whole keys from a text: verbatim, in JSON or URL form, over several lines, cut off after
 * the first half, or masked except for the beginning or end.
 */
export function keyRedactor(secrets: readonly string[]): (text: string) => string {
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  const finders = known.map(finder);
  return (text) => (known.length === 0 ? text : withoutMasked(finders.reduce(withoutKey, text), known));
}
