import { expect, test } from 'vitest';
import { knownKeysIn } from '../../../../domain/static-form/known-keys.js';
import { readPatterns, Scrubber, unescaped } from '../../../../web/server/export/scrub.js';

const KEYS = {
  Anthropic: `sk-ant-api03-${'aB3_'.repeat(10)}`,
  OpenAI: `sk-proj-${'aB3x'.repeat(10)}`,
  AWS: `AKIA${'ABCD'.repeat(4)}`,
  GitHub: `ghp_${'aB3x'.repeat(9)}`,
  'Hugging Face': `hf_${'aBcD'.repeat(9)}`,
  'a private key': '-----BEGIN RSA PRIVATE KEY-----',
};

test.each(Object.entries(KEYS))('a key of %s is known wherever it stands, by its beginning alone', (whose, key) => {
  for (const text of [key, `line\n${key}\nline`, `"${key}"`, `\u001B[31m${key}`]) {
    const found = knownKeysIn(unescaped(JSON.stringify({ text })));
    expect(found).toEqual([{ whose, begins: key.slice(0, 10) }]);
  }
});

test('names and hashes are none', () => {
  const innocent = [
    'sk-learn',
    'task-ant-colony',
    'risk-of-everything-that-is-long-enough-here',
    'a'.repeat(64),
    'hf_hub_download',
  ];
  expect(knownKeysIn(innocent.join('\n'))).toEqual([]);
});

test('a line of a file is a pattern; one that cannot be says where', () => {
  const [pattern] = readPatterns('p', '# names\n\nann\\d+\n');
  const scrub = new Scrubber([pattern!], false);
  expect(scrub.document({ a: ['ann12', { b: 'by ann3', n: 3 }] })).toEqual({
    a: ['[redacted]', { b: 'by [redacted]', n: 3 }],
  });
  expect(scrub.replaced).toBe(2);
  expect(() => readPatterns('p.txt', 'ok\n(')).toThrow('p.txt, line 2');
  expect(() => readPatterns('p.txt', 'x*')).toThrow('also matches the empty string');
});
