import { describe, expect, it } from 'vitest';
import { keyRedactor } from '../../../domain/text/redact-keys.js';
import { secretsOf } from '../../../worker/redact.js';

describe('what logs may not show', () => {
  it('is found by the names of variables and in URLs', () => {
    const env = {
      OPENAI_API_KEY: 'sk-canary',
      TEMPORAL_API_KEY: 'temporal-canary',
      TEMPORAL_TLS_CLIENT_KEY_DATA: '-----BEGIN\nsecret line',
      DATABASE_URL: 'postgresql://bench:p%40ssword@db:5432/bench',
      HF_TOKEN: 'short',
      PATH: '/usr/bin:/bin',
      BENCH_HOME: '/srv/bench',
    };
    expect(secretsOf(env).sort()).toEqual(
      ['sk-canary', 'temporal-canary', '-----BEGIN\nsecret line', 'p%40ssword', 'p@ssword'].sort(),
    );
  });

  it('is replaced wherever it stands, also as JSON writes it', () => {
    const redact = keyRedactor(['sk-"canary"', 'two\nlines']);
    const line = JSON.stringify({ message: 'refused: sk-"canary"', deep: { cause: 'two\nlines' } });
    expect(redact(line)).toBe('{"message":"refused: [redacted]","deep":{"cause":"[redacted]"}}');
    expect(redact('nothing here')).toBe('nothing here');
  });

  it('is replaced whole where one secret begins with another', () => {
    expect(keyRedactor(secretsOf({ A_TOKEN: 'abcdef', B_TOKEN: 'abcdefghi' }))('x abcdefghi')).toBe('x [redacted]');
  });

  it('is found by the names that the model files give', () => {
    expect(secretsOf({ LAB_ACCESS: 'lab-canary', OTHER: 'no-secret' }, ['LAB_ACCESS'])).toEqual(['lab-canary']);
  });

  const key = 'sk-proj-Zq81/kk+Wx-7fYpL0';
  it.each([
    ['as it is', `you sent ${key}, sorry`],
    ['as JSON in JSON', `you sent ${JSON.stringify(JSON.stringify({ k: key })).replaceAll('/', '\\\\/')}, sorry`],
    ['in Unicode escapes', `you sent ${key.replaceAll('-', '\\u002d').replaceAll('+', '\\u002B')}, sorry`],
    ['in a URL', `you sent ${encodeURIComponent(key)}, sorry`],
    ['broken over lines', `you sent ${key.slice(0, 9)}\n  ${key.slice(9)}, sorry`],
    ['broken over escaped lines', `you sent ${key.slice(0, 9)}\\n${key.slice(9)}, sorry`],
    ['cut off', `you sent ${key.slice(0, 18)}`],
    ['masked but for its end', `you sent sk-proj-*************7fYpL0, sorry`],
    ['masked with dots', `you sent sk-...YpL0, sorry`],
    ['masked but for its beginning', `you sent sk-proj-Zq81****, sorry`],
  ])('is replaced whole %s', (_, text) => {
    const left = keyRedactor(['unrelated-secret', key])(text);
    expect(left).toContain('[redacted]');
    for (let i = 0; i + 4 <= key.length; i++)
      if (key.slice(i, i + 4) !== 'sk-p') expect(left.includes(key.slice(i, i + 4)), key.slice(i, i + 4)).toBe(false);
  });

  it('leaves innocent text as it is', () => {
    const redact = keyRedactor([key]);
    for (const text of ['set OPENAI_API_KEY=sk-... first', 'a ** b ... c', 'sk-proj- is how keys begin', ''])
      expect(redact(text)).toBe(text);
  });
});
