import { describe, expect, it } from 'vitest';
import { redactor, secretsOf } from '../../../worker/redact.js';

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
    const redact = redactor(['sk-"canary"', 'two\nlines']);
    const line = JSON.stringify({ message: 'refused: sk-"canary"', deep: { cause: 'two\nlines' } });
    expect(redact(line)).toBe('{"message":"refused: [redacted]","deep":{"cause":"[redacted]"}}');
    expect(redact('nothing here')).toBe('nothing here');
  });

  it('is replaced whole where one secret begins with another', () => {
    expect(redactor(secretsOf({ A_TOKEN: 'abcdef', B_TOKEN: 'abcdefghi' }))('x abcdefghi')).toBe('x [redacted]');
  });
});
