import { describe, expect, test } from 'vitest';
import pc from 'picocolors';
import { forecastLine, renderEvidence, renderForecast } from '../../../cli/render/forecast.js';
import type { BatchForecast } from '../../../domain/views/forecast.js';

const estimate = {
  runs: 4,
  gpus: { min: 0, max: 1 },
  peakGpus: 2,
  peakMemoryMb: 4096,
  maxCostUsd: '12.5',
  unpricedModels: [],
};
const forecast: BatchForecast = {
  costUsd: { low: 3.1, expected: 4.2, high: 5.6 },
  tokens: { low: 1_200_000, expected: 1_500_000, high: 2_000_000 },
  hours: { low: 0.5, expected: 0.75, high: 1.25 },
  attempts: { spread: 0.3, basedOnAttempts: 12, ownModels: true, needed: [{ difference: 0.1, attempts: 142 }] },
  evidence: [
    { model: 'a', agent: 'default', task: 't', runs: 3, from: 'runs', basedOnRuns: 12 },
    { model: 'b', agent: 'default', task: 't', runs: 1, from: 'limits', basedOnRuns: 0 },
  ],
};

describe('a forecast', () => {
  test('says a range, what is most likely, and what it is from', () => {
    expect(renderForecast(forecast, estimate).split('\n')).toEqual([
      'GPUs: 0 to 1 per run, at most 2 at once',
      'Memory: at most 4 GB at once, besides evaluations',
      'Cost: $3.10 to $5.60, most likely $4.20; limits allow $12.50',
      'Tokens: 1.2 M to 2 M, most likely 1.5 M',
      'Time: 30 min to 1 h 15 min, most likely 45 min',
      'In nine of ten such batches. Forecast 3 runs from earlier ones of the same model, agent and task, 1 from limits alone.',
      'Attempts per model and task that distinguish two mean gains: 142 for a difference of 0.1 (95 %, in four of five comparisons; gains vary by 0.30 in 12 attempts)',
    ]);
    expect(renderEvidence(forecast, pc.createColors(false))).toMatch(/a +default +t +3 +12 earlier\n.*limits/);
  });

  test('says bounds where no more is known', () => {
    const line = (costUsd: BatchForecast['costUsd']) => forecastLine({ ...forecast, costUsd }).split(';')[0];
    expect(line({ low: 0, expected: null, high: 12 })).toBe('forecast: cost at most $12.00');
    expect(line({ low: 0, expected: null, high: null })).toBe('forecast: cost unknown, and no limit');
    expect(line({ low: 2, expected: null, high: null })).toBe('forecast: cost from $2.00, without a limit');
    expect(line({ low: 0, expected: null, high: 0 })).toBe('forecast: cost $0');
    expect(line({ low: 0, expected: 0, high: 0 })).toBe('forecast: cost $0');
  });
});
