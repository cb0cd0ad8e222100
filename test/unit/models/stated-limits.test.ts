import { describe, expect, it } from 'vitest';
import { accountOf } from '../../../models/account-of.js';
import { isExhausted, refusedDimension, resetMs, statedLimits } from '../../../models/stated-limits.js';

const now = new Date('2026-01-01T00:00:00Z');

describe('limits in headers', () => {
  it('are read as OpenAI and as Anthropic send them', () => {
    const openAi = new Headers({ 'x-ratelimit-limit-requests': '500', 'x-ratelimit-limit-tokens': '30000' });
    expect(statedLimits(openAi)).toEqual({ requests: 500, tokens: 30_000 });
    const anthropic = new Headers({
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-tokens-limit': 'many',
    });
    expect(statedLimits(anthropic)).toEqual({ requests: 50, tokens: null });
    expect(statedLimits(undefined)).toEqual({ requests: null, tokens: null });
  });

  it('tell which limit a refusal is about, or the words do', () => {
    const left = (name: string, count: string) => new Headers({ [name]: count });
    expect(refusedDimension(left('x-ratelimit-remaining-tokens', '0'), '')).toBe('tokens');
    expect(refusedDimension(left('anthropic-ratelimit-requests-remaining', '0'), '')).toBe('requests');
    expect(refusedDimension(undefined, 'Limit reached on requests per min (RPM)')).toBe('requests');
    expect(refusedDimension(undefined, 'tokens rate_limit_exceeded')).toBe('tokens');
    expect(refusedDimension(undefined, 'slow down')).toBeNull();
  });

  it('tell whether that limit is used up', () => {
    const left = (remaining: string) =>
      new Headers({ 'x-ratelimit-limit-tokens': '30000', 'x-ratelimit-remaining-tokens': remaining });
    expect(isExhausted(left('900'), 'tokens')).toBe(true);
    expect(isExhausted(left('29000'), 'tokens')).toBe(false);
    expect(isExhausted(left('900'), 'requests')).toBe(false);
    expect(isExhausted(new Headers({ 'anthropic-ratelimit-requests-remaining': '0' }), 'requests')).toBe(true);
    expect(isExhausted(undefined, 'requests')).toBe(false);
  });

  it.each([
    ['6m0s', 360_000],
    ['1.5s', 1500],
    ['120ms', 120],
    ['2026-01-01T00:00:30Z', 30_000],
    ['9999h', 600_000],
    ['soon', undefined],
  ])('give the time of the refill: %s', (text, ms) => {
    expect(resetMs(new Headers({ 'x-ratelimit-reset-tokens': text }), 'tokens', now)).toBe(ms);
  });
});

describe('the name of an account', () => {
  it('has provider, address and the name of the key, and no secret of the address', () => {
    const config = { provider: 'openai' as const, account: undefined, apiKeyVariable: 'OPENAI_API_KEY' };
    expect(accountOf(config, undefined)).toBe('openai:default:OPENAI_API_KEY');
    expect(accountOf(config, 'https://me:secret@proxy.example/v1/?key=k')).toBe(
      'openai:proxy.example/v1:OPENAI_API_KEY',
    );
    expect(accountOf({ ...config, account: 'team-b' }, undefined)).toBe('team-b');
  });
});
