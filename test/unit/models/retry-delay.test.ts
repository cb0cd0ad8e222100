import { describe, expect, it } from 'vitest';
import { asProviderError } from '../../../models/as-provider-error.js';
import { errorAnswer } from '../../../models/error-answer.js';

const facts = { provider: 'gemini', model: 'm', apiKey: '', now: new Date() };
const refused = (retryDelay: unknown, headers: Record<string, string> = {}) => {
  const details = [
    { '@type': 'QuotaFailure', violations: [] },
    { '@type': 'RetryInfo', retryDelay },
  ];
  const body = JSON.stringify({ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'quota', details } });
  return asProviderError(errorAnswer(429, new Headers(headers), body), facts).retryAfterMs;
};

describe("Google's RetryInfo", () => {
  it('says when to ask again, unless a header does', () => {
    expect(refused('36s')).toBe(36_000);
    expect(refused('0.5s')).toBe(500);
    expect(refused('99999s')).toBe(600_000);
    expect(refused('36s', { 'retry-after': '7' })).toBe(7_000);
    for (const nonsense of ['soon', '-5s', 36, null]) expect(refused(nonsense)).toBeUndefined();
  });
});
