import { describe, expect, it } from 'vitest';
import { type EndFacts, endingOf } from '../../../../domain/run/ending.js';
import { END_REASONS } from '../../../../domain/run/outcomes.js';

const facts = (more: Partial<EndFacts> = {}): EndFacts => ({
  ...{ runId: 'r-1', endReason: 'submit', detail: null, maxSteps: 50, wallSeconds: 1800 },
  ...{ costUsd: '0.02', costLimitUsd: null, refusedUsd: null, tokens: 1200, tokenLimit: 0 },
  ...{ contextWindow: null, metBudgetUsd: null, ...more },
});

describe('the end of a run', () => {
  it('is explained for every reason, without an empty part', () => {
    for (const endReason of END_REASONS) {
      const { why, next } = endingOf(facts({ endReason }));
      expect(why, endReason).toMatch(/^\S.*[^.\s]$/);
      expect(why + String(next), endReason).not.toMatch(/undefined|NaN|: null/);
    }
  });

  it('by cost states what the next call might have cost, and what was left', () => {
    const { why, next } = endingOf(facts({ endReason: 'cost', costLimitUsd: '0.2', refusedUsd: '0.19' }));
    expect(why).toBe('the next call might have cost $0.19, and $0.18 of $0.20 were left');
    expect(next).toBe('Raise the cost limit of the run to at least $0.21.');
    const close = endingOf(facts({ endReason: 'cost', costLimitUsd: '0.2', refusedUsd: '0.1801' }));
    expect(close.why).toBe('the next call might have cost $0.1801, and $0.18 of $0.20 were left');
    expect(endingOf(facts({ endReason: 'cost', costLimitUsd: '0.2' })).why).toBe(
      'its cost limit was reached: $0.18 of $0.20 were left',
    );
  });

  it.each([
    ['max_steps', {}, 'all of its 50 steps were used'],
    ['wall_time', {}, 'its time of 30 min was used up'],
    ['tokens', { tokenLimit: 1000 }, '1,200 of 1,000 tokens were used'],
    ['context', { contextWindow: 128_000 }, "the next prompt did not fit the model's context window of 128,000 tokens"],
    ['infra_error', { detail: 'the disk is full' }, 'the disk is full'],
    ['exit', { detail: 'exit code 1' }, 'the program ended without `submit`: exit code 1'],
  ] as const)('by %s says: %#', (endReason, more, why) => {
    expect(endingOf(facts({ endReason, ...more })).why).toBe(why);
  });
});
