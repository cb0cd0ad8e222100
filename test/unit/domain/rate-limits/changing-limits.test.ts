import { describe, expect, it } from 'vitest';
import { simulateTraffic, type Traffic } from './simulate-traffic.js';
import { LONG } from '../../../setup/long.js';

const MANY = 1e9;
const byRequests: Omit<Traffic, 'seed' | 'enforcement'> = {
  phases: [600, 240, 900, 400].map((requests) => ({ minutes: 4, limits: { requests, tokens: MANY } })),
  callers: { big: 30, small: 10 },
  tokensPerCall: 1000,
  overestimate: 5,
  callSeconds: 1,
};
const byTokens: Omit<Traffic, 'seed' | 'enforcement'> = {
  ...byRequests,
  phases: [600_000, 240_000, 900_000].map((tokens) => ({ minutes: 4, limits: { requests: MANY, tokens } })),
};

/** Workers on a busy machine: grants and refusals arrive late and in bursts. */
const busy: Omit<Traffic, 'seed' | 'enforcement'> = {
  ...byRequests,
  phases: [300, 150, 400, 200].map((requests) => ({ minutes: 5, limits: { requests, tokens: MANY } })),
  ...{ callers: { big: 36, small: 12 }, callSeconds: 1.5 },
  ...{ lagMs: 250, stalls: { every: 10_000, last: 700 } },
};

// Seconds on a loaded machine: tens of thousands of calls each.
describe('three workers against a provider whose limits change', { timeout: 300_000 }, () => {
  const cases = [Number(process.env['BENCH_TEST_SEED'] ?? 1)].flatMap((seed) => [
    {
      name: 'requests, refilled all the time',
      traffic: { ...byRequests, seed, enforcement: 'bucket of a minute' as const },
    },
    {
      name: 'requests, counted by the minute',
      traffic: { ...byRequests, seed, enforcement: 'calendar minute' as const },
    },
    {
      name: 'tokens, refilled all the time',
      traffic: { ...byTokens, seed, enforcement: 'bucket of a minute' as const },
    },
    { name: 'tokens, counted by the minute', traffic: { ...byTokens, seed, enforcement: 'calendar minute' as const } },
    {
      name: 'requests, by a provider that says nothing',
      traffic: { ...byRequests, seed, enforcement: 'bucket of a minute' as const, silent: true },
    },
    {
      name: 'requests, refilled all the time, from a busy machine',
      traffic: { ...busy, seed, enforcement: 'bucket of a minute' as const },
    },
  ]);
  // The first counts requests, the last is the hardest.
  it.each(LONG ? cases : [cases.at(0)!, cases.at(-1)!])(
    'learn its limits: at least 90 % of them is used, less than 2 % refused ($name, seed $traffic.seed)',
    ({ traffic }) => {
      const { throughput, refusals } = simulateTraffic(traffic);
      expect(throughput).toBeGreaterThan(0.9);
      expect(refusals).toBeLessThan(0.02);
    },
  );

  it.each([
    { strays: 0.05, callers: { big: 30, small: 10 } },
    { strays: 0.1, callers: { big: 30, small: 10 } },
    { strays: 0.1, callers: { few: 3 } },
  ])('are not slowed down by one that refuses calls at random, whatever their rate (%o)', (some) => {
    const traffic = {
      ...{ ...byRequests, ...some, phases: [{ minutes: 2, limits: { requests: MANY, tokens: MANY } }] },
      ...{ seed: Number(process.env['BENCH_TEST_SEED'] ?? 1), enforcement: 'bucket of a minute' as const },
    };
    const { calls } = simulateTraffic(traffic);
    expect(calls).toBeGreaterThan(0.9 * simulateTraffic({ ...traffic, ungoverned: true }).calls);
  });

  it('are refused rarely by one whose limit stays as it is, however late calls reach it', () => {
    const phases = [{ minutes: 15, limits: { requests: 300, tokens: MANY } }];
    const { throughput, refusals } = simulateTraffic({ ...busy, phases, seed: 1, enforcement: 'bucket of a minute' });
    expect(throughput).toBeGreaterThan(0.9);
    expect(refusals).toBeLessThan(0.015);
  });

  it('use what is allowed where there are both', () => {
    const phases = [{ minutes: 10, limits: { requests: 300, tokens: MANY } }];
    const { throughput } = simulateTraffic({
      ...{ ...byRequests, phases, strays: 0.05, seed: 1, enforcement: 'bucket of a minute' },
    });
    expect(throughput).toBeGreaterThan(0.8);
  });

  it('get little from one that allows no bursts or counts a sliding minute, but are rarely refused', () => {
    for (const enforcement of ['bucket of a second', 'sliding minute'] as const) {
      const phases = byRequests.phases.slice(0, 2);
      const { throughput, refusals } = simulateTraffic({ ...byRequests, phases, seed: 1, enforcement });
      expect(throughput).toBeGreaterThan(0.6);
      expect(refusals).toBeLessThan(0.04);
    }
  });

  it('stay within a declared limit, however it is counted', () => {
    for (const enforcement of ['bucket of a minute', 'sliding minute', 'calendar minute'] as const) {
      const { throughput, refusals } = simulateTraffic({
        ...byRequests,
        ...{ seed: 1, enforcement, phases: [{ minutes: 5, limits: { requests: 300, tokens: MANY } }] },
        declared: { requests: 300, tokens: null },
      });
      // The full bucket of the beginning is left alone.
      expect(throughput).toBeGreaterThan(enforcement === 'bucket of a minute' ? 0.77 : 0.92);
      expect(refusals).toBeLessThan(0.005);
    }
  });

  it('let batches take turns, whoever has more callers; a higher priority goes first', () => {
    const scarce = { ...byRequests, phases: [{ minutes: 5, limits: { requests: 60, tokens: MANY } }] };
    const declared = { requests: 60, tokens: null };
    const fair = simulateTraffic({ ...scarce, seed: 3, enforcement: 'bucket of a minute', declared });
    expect((fair.answered['big'] ?? 0) / (fair.answered['small'] ?? 1)).toBeCloseTo(1, 1);
    const first = { ...scarce, priorities: { small: 1 }, callers: { big: 30, small: 1 }, declared };
    const ranked = simulateTraffic({ ...first, seed: 3, enforcement: 'bucket of a minute' });
    expect(ranked.answered['small']).toBeGreaterThan(100);
  });
});
