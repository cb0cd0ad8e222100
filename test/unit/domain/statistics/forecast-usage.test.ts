import { describe, expect, test } from 'vitest';
import { forecastUsage, lastEnd, type PlannedRuns, type Usage } from '../../../../domain/statistics/forecast-usage.js';
import { randomIndexes } from '../../../../domain/statistics/random-index.js';

const NO_BOUND: Usage = { usd: Infinity, tokens: Infinity, ms: Infinity };
const used = (usd: number, ms = 60_000): Usage => ({ usd, tokens: usd * 100_000, ms });
const kind = (runs: number, past: readonly Usage[], most = NO_BOUND): PlannedRuns => ({ runs, past, most });

describe('the time of the last run', () => {
  test('is the sum on one place, and the longest on enough', () => {
    expect(lastEnd([3, 1, 2], 1)).toBe(6);
    expect(lastEnd([3, 1, 2], 8)).toBe(3);
    expect(lastEnd([], 4)).toBe(0);
  });

  test('is that of runs that begin in order where a place is free first', () => {
    // 4 and 1 begin; 3 follows the 1 (ends at 4); 2 follows at 4.
    expect(lastEnd([4, 1, 3, 2], 2)).toBe(6);
  });

  test('equals a plain simulation', () => {
    const draw = randomIndexes(7);
    for (let nth = 0; nth < 200; nth++) {
      const durations = Array.from({ length: draw(30) }, () => draw(100));
      const places = 1 + draw(6);
      const free = Array<number>(places).fill(0);
      for (const ms of durations) free[free.indexOf(Math.min(...free))]! += ms;
      expect(lastEnd(durations, places)).toBe(Math.max(...free));
    }
  });
});

describe('a forecast', () => {
  test('of runs like many equal past ones is their sum', () => {
    const { usd, tokens, ms } = forecastUsage([kind(10, Array<Usage>(10_000).fill(used(2)))], 5);
    expect(usd.expected).toBeCloseTo(20, 0);
    expect(usd.high! - usd.low).toBeLessThan(0.5);
    expect(tokens.expected! / usd.expected!).toBeCloseTo(100_000);
    expect(ms.expected! / 1000).toBeCloseTo(120, 0);
  });

  test('of an adaptive batch counts all looks, each of which waits for the one before', () => {
    const past = Array<Usage>(10_000).fill(used(2));
    const { usd, ms } = forecastUsage([{ ...kind(2, past), looks: [[2, 3]] }], 5);
    expect(usd.expected).toBeCloseTo(10, 0);
    expect(ms.expected! / 60_000).toBeCloseTo(2, 0);
    // Half of the batches stop after their first look.
    const halves = forecastUsage([{ ...kind(2, past), looks: [[2], [2, 8]] }], 5).usd;
    expect([halves.low, halves.high].map((usd) => Math.round(usd!))).toEqual([4, 20]);
    const limits = { usd: 5, tokens: 1, ms: 1 };
    expect(forecastUsage([{ ...kind(2, [], limits), looks: [[2], [2, 8]] }], 5).usd.high).toBe(50);
  });

  test('from runs of another agent is wide, however many there are', () => {
    const { usd } = forecastUsage([{ ...kind(1, Array<Usage>(10_000).fill(used(2))), apart: 0.5 }], 1);
    // A 90 % interval: two times 1.645 standard deviations of the logarithm.
    expect(usd.high! / usd.low / Math.exp(2 * 1.645 * 0.5)).toBeCloseTo(1, 0);
    expect(usd.expected).toBeCloseTo(2, 0);
  });

  test('is wide where one run was seen', () => {
    const { usd } = forecastUsage([kind(10, [used(2)])], 5);
    expect(usd.low).toBeLessThan(10);
    expect(usd.high).toBeGreaterThan(35);
  });

  test('knows no expectation, and the limit, of runs that nothing is known of', () => {
    const limits = { usd: 5, tokens: 1_000_000, ms: 600_000 };
    const { usd, ms } = forecastUsage([kind(2, Array<Usage>(5000).fill(used(1))), kind(3, [], limits)], 8);
    expect(usd.low).toBeCloseTo(2, 0);
    expect(usd.expected).toBeNull();
    expect(usd.high).toBeGreaterThan(16);
    expect(usd.high).toBeLessThan(18);
    expect(ms.high).toBeGreaterThan(600_000);
    expect(forecastUsage([kind(1, [])], 1).usd).toEqual({ low: 0, expected: null, high: null });
  });

  test('knows the cost but not the time of runs whose time was not recorded', () => {
    const past = Array.from({ length: 5000 }, () => ({ usd: 1, tokens: 10, ms: null }));
    const { usd, ms } = forecastUsage([{ runs: 4, past, most: { ...NO_BOUND, ms: 60_000 } }], 2);
    expect(usd.expected).toBeCloseTo(4, 0);
    expect(ms).toEqual({ low: 0, expected: null, high: 120_000 });
  });

  test('is free of models that cost nothing', () => {
    expect(forecastUsage([kind(4, [used(0), used(0)])], 2).usd).toEqual({ low: 0, expected: 0, high: 0 });
  });

  test('is the same for equal input', () => {
    const planned = [kind(6, [used(1), used(3), used(0.5)]), kind(2, [used(9)])];
    expect(forecastUsage(planned, 3)).toEqual(forecastUsage(planned, 3));
  });

  test('holds what runs then cost in about nine of ten batches', () => {
    const draw = randomIndexes(11);
    const uniform = (): number => (draw(2 ** 20) + 0.5) / 2 ** 20;
    const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    let held = 0;
    const batches = 300;
    for (let nth = 0; nth < batches; nth++) {
      // Four kinds of runs, a few past ones each, log-normal as costs of agents are.
      const kinds = Array.from({ length: 4 }, () => ({ typical: Math.exp(normal()), seen: 2 + draw(5) }));
      const one = (typical: number): Usage =>
        used(typical * Math.exp(0.6 * normal()), 60_000 * Math.exp(0.6 * normal()));
      const planned = kinds.map(({ typical, seen }) =>
        kind(
          4,
          Array.from({ length: seen }, () => one(typical)),
        ),
      );
      const { usd } = forecastUsage(planned, 4);
      const bill = kinds.flatMap(({ typical }) => Array.from({ length: 4 }, () => one(typical).usd));
      const sum = bill.reduce((total, cost) => total + cost, 0);
      if (sum >= usd.low && sum <= usd.high!) held += 1;
    }
    expect(held / batches).toBeGreaterThan(0.82);
    expect(held / batches).toBeLessThan(0.97);
  });
});
