import { describe, expect, it } from 'vitest';
import { compareAllocations } from '../../../../benchmarks/attempt-allocation.js';
import { normalBeyond } from '../../../../domain/statistics/normal.js';
import { randomIndexes } from '../../../../domain/statistics/random-index.js';
import { plannedLooks, settleOrder } from '../../../../domain/statistics/settle-order.js';
import { believedSpread, believedVariances } from '../../../../domain/statistics/spread-of-gains.js';

const rules = { confidence: 0.95, maxAttempts: 16 };
const sizes = (gains: readonly (readonly (readonly number[])[])[]) =>
  gains.map((ofTask) => ofTask.map(({ length }) => length));

describe('the order of models', () => {
  it('is settled where differences are far beyond their errors, and then asks for nothing', () => {
    const gains = Array.from({ length: 8 }, () => [
      [0.9, 0.95],
      [0.1, 0.05],
    ]);
    const order = settleOrder(gains, sizes(gains), rules);
    expect(order).toMatchObject({ settled: 1, open: 0 });
    expect(order.more.flat().every((more) => more === 0)).toBe(true);
  });

  it('sends attempts to models that are not resolved, never beyond the most, and the same for equal scores', () => {
    // The third is far below.
    const gains = Array.from({ length: 6 }, (_, task) => [
      [0.9, 0.5],
      task % 2 === 0 ? [0.4, 0.8] : [0.9, 0.2],
      [0, 0],
    ]);
    const order = settleOrder(gains, sizes(gains), rules);
    expect(order.open).toBe(1);
    const [first, second, third] = [0, 1, 2].map((model) =>
      order.more.reduce((sum, ofTask) => sum + ofTask[model]!, 0),
    );
    expect(first! > 0 && second! > 0).toBe(true);
    expect(third).toBe(0);
    expect(settleOrder(gains, sizes(gains), rules)).toEqual(order);
    const few = settleOrder(gains, sizes(gains), { ...rules, maxAttempts: 3 });
    expect(few.more.flat().every((more) => more <= 1)).toBe(true);
  });

  it('gives up on a pair that not even the most attempts would settle', () => {
    const gains = [
      [
        [0.5, 0.51, 0.49, 0.5],
        [0.5, 0.5, 0.5, 0.5],
      ],
    ];
    expect(settleOrder(gains, sizes(gains), rules).pairs[0]?.state).toBe('close');
  });

  it('is looked at as often as was planned: with half more attempts each time', () => {
    expect(plannedLooks({ maxAttempts: 2 })).toBe(1);
    expect(plannedLooks(rules)).toBe(7);
    expect(normalBeyond(0.025)).toBeCloseTo(1.96, 3);
  });

  it('is found with fewer attempts than evenly, and as rightly', () => {
    const draw = randomIndexes(3);
    const at = () => draw(1000) / 1000;
    // Pairs of models that are close, at twelve tasks; of each four attempts are drawn from.
    const recorded = Array.from({ length: 12 }, () =>
      [0.95, 0.9, 0.5, 0.45, 0.2, 0.02, 0].map((skill) =>
        Array.from({ length: 4 }, () => (at() < skill ? 0.5 + at() / 2 : 0)),
      ),
    );
    const [evenly, auto] = compareAllocations(recorded, rules, 25);
    expect(auto!.attempts).toBeLessThan(0.85 * evenly!.attempts);
    expect(auto!.settled).toBeGreaterThan(evenly!.settled - 0.5);
    expect(auto!.wrong).toBeLessThan(0.05);
  });
});

describe('a spread from few observations', () => {
  it('is never zero, and more and more that of the observations', () => {
    expect(believedSpread(0, 0)).toBe(0.25);
    expect(believedSpread(0, 1)).toBeGreaterThan(0.2);
    expect(believedSpread(0, 1000)).toBeLessThan(0.02);
    expect(believedSpread(0.4, 100_000)).toBeCloseTo(0.4, 3);
  });

  it('of a cell is drawn to that of all cells', () => {
    const [alike, varied] = believedVariances([
      [0.5, 0.5],
      [0, 1, 0, 1],
    ]);
    expect(alike).toBeGreaterThan(0.02);
    expect(varied! > alike!).toBe(true);
  });
});
