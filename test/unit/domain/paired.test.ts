import { expect, test } from 'vitest';
import { pairedDifference, pairOutcome } from '../../../domain/statistics/paired.js';

const task = { direction: 'minimize' as const, baseline: 10, standardError: 1 };
const options = { resamples: 2000, seed: 1 };

test('who improved is who is beyond the baseline and its noise', () => {
  expect(pairOutcome(task, { a: 7, b: 8.5 })).toBe('onlyA');
  expect(pairOutcome(task, { a: null, b: 7 })).toBe('onlyB');
  expect(pairOutcome(task, { a: 1, b: 2 })).toBe('both');
  expect(pairOutcome(task, { a: 10, b: null })).toBe('neither');
  expect(pairOutcome({ ...task, baseline: null }, { a: 99, b: null })).toBe('onlyA');
});

test('a difference is positive where B is better, and certain where each pair says the same', () => {
  const pairs = [9, 7, 30, 4].map((a) => ({ a, b: a - 2 }));
  const found = pairedDifference([...pairs, { a: null, b: 1 }], 'minimize', options);
  expect(found).toEqual({ mean: 2, interval: { low: 2, high: 2 }, pairs: 4 });
  expect(pairedDifference(pairs, 'maximize', options).mean).toBe(-2);
  expect(pairedDifference([{ a: 1, b: 2 }], 'maximize', options)).toEqual({ mean: 1, interval: null, pairs: 1 });
  expect(pairedDifference([{ a: 1, b: null }], 'maximize', options).mean).toBeNull();
});

test('the interval covers the mean of pairs that differ', () => {
  const pairs = Array.from({ length: 12 }, (_, i) => ({ a: i, b: i + Math.sin(i) }));
  const { mean, interval } = pairedDifference(pairs, 'maximize', options);
  expect(interval!.low).toBeLessThan(mean!);
  expect(interval!.high).toBeGreaterThan(mean!);
});
