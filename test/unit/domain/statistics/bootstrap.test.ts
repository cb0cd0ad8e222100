import { describe, expect, it } from 'vitest';
import { bootstrap, type ComparedAttempts, resamplePositions } from '../../../../domain/statistics/bootstrap.js';
import { sharesOfFirst } from '../../../../domain/statistics/separation.js';
import { coverage, headlineCoverage } from '../../../../benchmarks/interval-coverage.js';

const task = (...models: (number | null)[][]): ComparedAttempts[number] => ({
  direction: 'maximize',
  baseline: 1,
  cells: models.map((best) => ({ best, last: best, ran: best.length > 0 })),
});
const options = { mode: 'strict' as const, axis: 1, resamples: 400, seed: 5 };

describe('the bootstrap', () => {
  const tasks = [task([2, 3, 4], [2, 2, 2]), task([5, null, 6], [6, 5, 4]), task([2, 2, 3], [1, 1.5, null])];

  it('gives the same for the same seed', () => {
    expect(bootstrap(tasks, options)).toEqual(bootstrap(tasks, options));
    expect(bootstrap(tasks, options)).not.toEqual(bootstrap(tasks, { ...options, seed: 6 }));
  });

  it('gives probabilities of the largest area that add up to one', () => {
    for (const samples of [bootstrap(tasks, options).samples, resamplePositions(tasks, options)])
      for (const over of ['attempts', 'tasks'] as const)
        for (const kind of ['best', 'last'] as const)
          expect(sharesOfFirst(samples[over][kind]).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
    const first = (of: ComparedAttempts, resamples = 400) =>
      sharesOfFirst(bootstrap(of, { ...options, resamples }).samples.tasks.best).map((share) => share.toFixed(9));
    expect(first([task([2], [2]), task([3], [3])])).toEqual(['0.500000000', '0.500000000']);
    expect(first([task([9], [2]), task([9], [3])], 1000)).toEqual(['1.000000000', '0.000000000']);
  });

  it('places by average positions, the baseline among them, what is equal or missing in the middle', () => {
    const { observed } = resamplePositions([task([2, 3], [null, null]), task([0], [0])], options);
    // First of three, then tied for second below the baseline; last, then the same.
    expect(observed.best).toEqual([-(1 + 2.5) / 2, -(3 + 2.5) / 2]);
  });

  it('knows no interval where there is nothing to draw', () => {
    const [once] = bootstrap([task([2], [3]), task([2], [3])], options).attempts;
    expect(once).toEqual({ best: null, last: null });
    const [alone] = bootstrap([task([2, 3], [3, 4])], options).tasks;
    expect(alone).toEqual({ best: null, last: null });
    expect(bootstrap([], options)).toMatchObject({ attempts: [], tasks: [] });
  });

  it('never leaves the range of the area', () => {
    for (const mode of ['strict', 'compat'] as const)
      for (const over of ['attempts', 'tasks'] as const)
        for (const { best } of bootstrap(tasks, { ...options, mode, axis: 0.5 })[over]) {
          expect(best?.low).toBeGreaterThanOrEqual(0);
          expect(best?.high).toBeLessThanOrEqual(mode === 'strict' ? 1 : 0.5);
        }
  });

  it('leaves a task at which only the infrastructure failed out of the model’s strict area', () => {
    const best = [task([2], [2]), task([2], [2])];
    const [, failed] = bootstrap([...best, task([3], [])], options).tasks;
    expect(failed?.best?.high).toBe(1);
    // Two tasks are too few to know; of one alone nothing is said.
    expect(failed?.best?.low).toBeLessThan(0.9);
    expect(bootstrap([...best.slice(1), task([3], [])], options).tasks[1]?.best).toBeNull();
  });

  it('of headlines covers what it should at thirteen tasks, and orders no pair wrongly more often than it may', () => {
    const measured = headlineCoverage({ tasks: 13, attempts: 4, experiments: 60, population: 2000 });
    for (const { figure, pairs, resolved } of Object.values(measured)) {
      expect(figure.share).toBeGreaterThanOrEqual(0.93);
      expect(pairs).toBeGreaterThanOrEqual(0.95);
      expect(resolved).toBeGreaterThan(0.3);
    }
  });

  it('has intervals that cover what they should, on simulated models', () => {
    const { tasks: over, attempts } = coverage({
      mode: 'strict',
      tasks: 13,
      attempts: 4,
      experiments: 12,
      repeats: 60,
      population: 2000,
    });
    expect(over.share).toBeGreaterThan(0.88);
    expect(attempts.share).toBeGreaterThan(0.88);
  });
});
