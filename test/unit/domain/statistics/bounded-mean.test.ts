import { describe, expect, it } from 'vitest';
import { headlineCoverage } from '../../../../benchmarks/interval-coverage.js';
import { boundedMeanInterval, drawWeights } from '../../../../domain/statistics/bounded-mean.js';

const weights = (tasks: number, seed = 1) => drawWeights(tasks, { resamples: 4000, seed });

describe('the interval of a mean of values from 0 to 1', () => {
  it('is that of Jeffreys where all are 0 or 1, but for the mean itself', () => {
    // Quantiles of Beta(0.5, 5.5) and of Beta(3.5, 2.5).
    const none = boundedMeanInterval([0, 0, 0, 0, 0], weights(5))!;
    expect(none.low).toBe(0);
    expect(none.high).toBeCloseTo(0.379, 1);
    const three = boundedMeanInterval([1, 0, 1, 0, 1], weights(5))!;
    expect(three.low).toBeCloseTo(0.21, 1);
    expect(three.high).toBeCloseTo(0.91, 1);
  });

  it('stays within the bounds, holds the mean, and is the same for the same seed', () => {
    for (const values of [
      [0, 0],
      [1, 1, 1],
      [0.2, 0.9, 0, 0.01],
    ]) {
      const { low, high } = boundedMeanInterval(values, weights(values.length))!;
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      expect(low <= mean && mean <= high).toBe(true);
      expect(boundedMeanInterval(values, weights(values.length))).toEqual({ low, high });
      expect(boundedMeanInterval(values, weights(values.length, 2))).not.toEqual({ low, high });
    }
  });

  it('leaves out tasks that a model did not run, and is not known of one task', () => {
    const drawn = weights(3);
    expect(boundedMeanInterval([0.5, NaN, NaN], drawn)).toBeNull();
    expect(boundedMeanInterval([0.5, NaN, 1], drawn)).not.toBeNull();
  });

  it('covers what it should at five tasks: of gains, most of them zero', () => {
    const { gain } = headlineCoverage({ tasks: 5, attempts: 4, experiments: 60, population: 1000 });
    expect(gain.share).toBeGreaterThanOrEqual(0.93);
  });
});
