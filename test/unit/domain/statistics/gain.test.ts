import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attemptGain, attemptKey, type GainedTask } from '../../../../domain/statistics/gain.js';

const task = (more: Partial<GainedTask> = {}): GainedTask => ({
  ...{ direction: 'maximize', baseline: 1, standardError: 0.05, target: 2 },
  ...more,
});
const loss = task({ direction: 'minimize', baseline: 2, target: 1 });

describe('the gain of an attempt', () => {
  it('is its way from the baseline to the target, in the direction of the task', () => {
    expect([1.25, 2, 3].map((score) => attemptGain(task(), score))).toEqual([0.25, 1, 1]);
    expect([1.75, 1, -5].map((score) => attemptGain(loss, score))).toEqual([0.25, 1, 1]);
  });

  it('is nothing without a score, below the baseline and within two standard errors of it', () => {
    for (const score of [null, -1e308, 0, 1, 1.1]) expect(attemptGain(task(), score)).toBe(0);
    for (const score of [null, 1e308, 3, 2, 1.9]) expect(attemptGain(loss, score)).toBe(0);
    expect(attemptGain(task(), 1.1001)).toBeCloseTo(0.1001, 12);
    expect(attemptGain(task({ standardError: null }), 1.01)).toBeCloseTo(0.01, 12);
  });

  it('is not known without a baseline, a target, or one that is better', () => {
    for (const without of [{ baseline: null }, { target: null }, { target: 1 }, { target: 0 }])
      expect(attemptGain(task(without), 1.5)).toBe(null);
  });

  it('is between 0 and 1, and no worse score has more', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    const one = fc.record({
      direction: fc.constantFrom('maximize' as const, 'minimize' as const),
      baseline: number,
      standardError: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })),
      target: number,
    });
    fc.assert(
      fc.property(one, number, number, (of, a, b) => {
        const [worse, better] = (of.direction === 'maximize') === a < b ? [a, b] : [b, a];
        const gains = [worse, better].map((score) => attemptGain(of, score));
        if (gains[0] === null) return gains[1] === null;
        return gains[0]! >= 0 && gains[0]! <= gains[1]! && gains[1]! <= 1;
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});

describe('what attempts are compared by', () => {
  it('is the gain; without a target what lies beyond the baseline; without a baseline the score', () => {
    expect(attemptKey(task(), 1.5)).toBe(0.5);
    expect([null, 0, 1.1, 7].map((score) => attemptKey(task({ target: null }), score))).toEqual([0, 0, 0, 6]);
    expect([null, 3, 7].map((score) => attemptKey({ ...loss, baseline: null }, score))).toEqual([-Infinity, -3, -7]);
  });
});
