import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectedBest } from '../../../../domain/statistics/expected-best.js';

/** All choices of k of the values. */
const choices = (values: readonly number[], k: number): number[][] =>
  k === 0 ? [[]] : values.flatMap((value, i) => choices(values.slice(i + 1), k - 1).map((rest) => [value, ...rest]));

describe('the expected best of k attempts', () => {
  it('is the mean of the best over all choices of k', () => {
    const values = fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 7 }), (attempts, k) => {
        fc.pre(k <= attempts.length);
        const all = choices(attempts, k);
        const mean = (best: (...of: number[]) => number) =>
          all.reduce((sum, choice) => sum + best(...choice), 0) / all.length;
        expect(expectedBest(attempts, k, 'maximize', null)).toBeCloseTo(mean(Math.max), 9);
        expect(expectedBest(attempts, k, 'minimize', null)).toBeCloseTo(mean(Math.min), 9);
      }),
      { seed: 3, numRuns: 100 },
    );
  });

  it('takes an attempt without a score as the baseline, and is unknown without one', () => {
    expect(expectedBest([2, null], 1, 'maximize', 1)).toBe(1.5);
    expect(expectedBest([2, null], 1, 'maximize', null)).toBeNull();
  });

  it('is unknown of more attempts than there are', () => {
    expect([expectedBest([1, 2], 3, 'maximize', 0), expectedBest([], 1, 'maximize', 0)]).toEqual([null, null]);
  });
});
