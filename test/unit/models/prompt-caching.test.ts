import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CacheRules } from '../../../benchmarks/prompt-cache/cache-rules.js';
import { play, type Played } from '../../../benchmarks/prompt-cache/play.js';
import { loadAgent } from '../../../catalog/index.js';
import type { AgentConfig } from '../../../domain/agent/config.js';

const { config } = loadAgent([join(import.meta.dirname, '../../../configs')], 'default');
const inBlocks: Partial<AgentConfig> = {
  historyProcessor: 'last-n-observations',
  historyProcessorArgs: { n: 5, block: 10 },
};

const setting = { steps: 50, observationTokens: 3000, secondsPerStep: 60 };
async function costs(more: Partial<AgentConfig> = {}): Promise<{ uncached: Played; cached: Played }> {
  const agent = { ...config, ...more };
  const uncached = await play({ agent, caching: false, ...setting });
  return { uncached, cached: await play({ agent, caching: true, ...setting }) };
}

describe('the cache of Anthropic, by its rules,', () => {
  it('serves what the default agent sees again, and stores nothing that it does not', async () => {
    const { uncached, cached } = await costs();
    expect(cached.inputTokens).toBe(uncached.inputTokens);
    // Five observations of 3,000 tokens move on in each step: the rest is read.
    expect(cached.usd / uncached.usd).toBeLessThan(0.8);
    expect(cached.writtenTokens).toBeLessThan(0.06 * cached.inputTokens);
  });

  it('serves most of a prompt whose observations leave in blocks', async () => {
    const { uncached, cached } = await costs(inBlocks);
    expect(cached.usd / uncached.usd).toBeLessThan(0.35);
  });

  it('reads what is kept for an hour, where commands take longer than five minutes', async () => {
    const slow = { ...setting, secondsPerStep: 900, agent: { ...config, ...inBlocks } };
    const uncached = await play({ ...slow, caching: false });
    const forgotten = await play({ ...slow, caching: true });
    const kept = await play({ ...slow, caching: true, forAnHour: true });
    expect(forgotten.usd / uncached.usd).toBeGreaterThan(1);
    expect(kept.usd / uncached.usd).toBeLessThan(0.5);
  });

  it('is as documented: entries at marks, found 20 blocks back, for five minutes', () => {
    const rules = new CacheRules();
    const block = (n: number) => ({ type: 'text', text: `${n} `.repeat(3000) });
    const body = (marks: number[], count: number) => ({
      messages: Array.from({ length: count }, (_, n) => ({
        role: 'user',
        content: [{ ...block(n), ...(marks.includes(n) && { cache_control: { type: 'ephemeral' } }) }],
      })),
    });
    expect(rules.usage(body([0], 2), 0)).toMatchObject({ read: 0 });
    expect(rules.usage(body([1], 2), 1000).read).toBeGreaterThan(1000);
    expect(rules.usage(body([20], 21), 2000).read).toBeGreaterThan(1000);
    expect(rules.usage(body([50], 51), 3000)).toMatchObject({ read: 0 });
    expect(rules.usage(body([0], 2), 301_001 + 3000)).toMatchObject({ read: 0 });
    expect(() => rules.usage(body([0, 1, 2, 3, 4], 5), 0)).toThrow('a maximum of 4');
  });
});
