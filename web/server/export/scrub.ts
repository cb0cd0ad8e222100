import { BenchError } from '../../../domain/errors.js';
import { knownKeysIn } from '../../../domain/static-form/known-keys.js';

const REPLACED = '[redacted]';

/** A regular expression per line; skips empty lines and comments (`#`). */
export function readPatterns(file: string, text: string): RegExp[] {
  return text.split('\n').flatMap((line, i) => {
    const source = line.trim();
    if (source === '' || source.startsWith('#')) return [];
    try {
      const pattern = new RegExp(source, 'gu');
      if (!pattern.test('')) return [pattern];
    } catch (cause) {
      throw new BenchError('usage', `${file}, line ${i + 1}: ${(cause as Error).message}`, {
        code: 'request.invalid',
        remedy: 'Each line is one regular expression of JavaScript.',
        cause,
      });
    }
    throw new BenchError('usage', `${file}, line ${i + 1}: the pattern also matches the empty string`, {
      code: 'request.invalid',
      remedy: 'Write one that needs at least one character.',
    });
  });
}

export class Scrubber {
  replaced = 0;

  constructor(
    private readonly patterns: readonly RegExp[],
    private readonly allowSecrets: boolean,
  ) {}

  get replaces(): boolean {
    return this.patterns.length > 0;
  }

  text(text: string): string {
    const clean = this.patterns.reduce((left, pattern) => left.replace(pattern, REPLACED), text);
    if (clean !== text) this.replaced++;
    return clean;
  }

  document<T>(value: T): T {
    if (!this.replaces) return value;
    if (typeof value === 'string') return this.text(value) as T;
    if (Array.isArray(value)) return value.map((one: unknown) => this.document(one)) as T;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.document(one as unknown)])) as T;
  }

  /** Binary files stay. */
  bytes(bytes: Buffer): Buffer {
    const text = bytes.toString('utf8');
    if (!this.replaces || !Buffer.from(text).equals(bytes)) return bytes;
    return Buffer.from(this.text(text));
  }

  /** Throws BenchError (usage) if the text contains a key. */
  refuseKeys(where: string, text: string): void {
    if (this.allowSecrets) return;
    const [found] = knownKeysIn(text);
    if (found === undefined) return;
    throw new BenchError('usage', `${where} contains what looks like a key of ${found.whose}: ${found.begins}…`, {
      code: 'export.contains_secret',
      remedy: 'Revoke it, and take it out with a pattern; or say that it may be seen.',
      fields: { redact: '<file>', allowSecrets: true },
    });
  }
}

/** JSON as plain text, with the same word boundaries as its values, even coloured ones. */
export const unescaped = (json: string): string =>
  json.replace(/\\u001b\[[0-9;?]*[A-Za-z]/gi, ' ').replace(/\\(?:u[0-9a-f]{4}|.)/gi, ' ');
