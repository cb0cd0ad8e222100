import { expect, test } from 'vitest';
import { type KnownMean, simulateAuto } from '../../../../domain/statistics/auto-attempts.js';
import { ORDER_RULES } from '../../../../domain/statistics/settle-order.js';

const totals = (tasks: number, models: KnownMean[], spread = 0.25): number[] =>
  simulateAuto({ tasks, models, spread }, ORDER_RULES, 20).map((looks) =>
    looks.flat(3).reduce((sum, count) => sum + count, 0),
  );
const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const at = (value: number): KnownMean => ({ mean: value, standardError: 0 });

test('models far apart are in order after the first attempts', () => {
  // Two attempts of two models at five tasks.
  expect(totals(5, [at(0), at(1)])).toEqual(Array(20).fill(20));
});

test('models alike get more, at most sixteen at each task', () => {
  const found = totals(5, [at(0.5), at(0.5)]);
  expect(mean(found)).toBeGreaterThan(40);
  expect(Math.max(...found)).toBeLessThanOrEqual(160);
  expect(simulateAuto({ tasks: 5, models: [null, null], spread: 0.25 }, ORDER_RULES, 3)).toEqual(
    simulateAuto({ tasks: 5, models: [null, null], spread: 0.25 }, ORDER_RULES, 3),
  );
});

test('unknown models get as many as batches that draw from the published attempts of MLGym-Bench', () => {
  // benchmarks/results/attempts.json: 12 models, 13 tasks, 1598 attempts.
  const found = mean(totals(13, Array<KnownMean>(12).fill(null)));
  expect(found / 1598).toBeGreaterThan(0.85);
  expect(found / 1598).toBeLessThan(1.15);
});
