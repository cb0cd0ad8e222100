import { describe, expect, it } from 'vitest';
import { type ComparedAttempts, resampledPositions } from '../../../../domain/statistics/resampled-positions.js';
import { sharesOfFirst } from '../../../../domain/statistics/separation.js';

const task = (...models: (number | null)[][]): ComparedAttempts[number] => ({
  direction: 'maximize',
  baseline: 1,
  cells: models.map((best) => ({ best, last: best, ran: best.length > 0 })),
});
const options = { resamples: 400, seed: 5 };

describe('resampled positions', () => {
  const tasks = [task([2, 3, 4], [2, 2, 2]), task([5, null, 6], [6, 5, 4]), task([2, 2, 3], [1, 1.5, null])];

  it('are the same for the same seed', () => {
    expect(resampledPositions(tasks, options)).toEqual(resampledPositions(tasks, options));
    expect(resampledPositions(tasks, options)).not.toEqual(resampledPositions(tasks, { ...options, seed: 6 }));
  });

  it('give probabilities of the first place that add up to one', () => {
    const first = (of: ComparedAttempts) => sharesOfFirst(resampledPositions(of, options).samples.best);
    expect(first(tasks).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
    expect(first([task([2], [2]), task([3], [3])]).map((share) => share.toFixed(9))).toEqual([
      '0.500000000',
      '0.500000000',
    ]);
    expect(first([task([9], [2]), task([9], [3])])).toEqual([1, 0]);
  });

  it('are by average positions, the baseline among them, what is equal or missing in the middle', () => {
    const { observed } = resampledPositions([task([2, 3], [null, null]), task([0], [0])], options);
    // First of three, then sharing second place below the baseline; last, then the same.
    expect(observed.best).toEqual([-(1 + 2.5) / 2, -(3 + 2.5) / 2]);
  });

  it('leave a task at which only the infrastructure failed out of the model’s mean', () => {
    const { observed } = resampledPositions([task([2], [3]), task([3], [])], options);
    expect(observed.best).toEqual([-(2 + 1) / 2, -1]);
    expect(resampledPositions([], options)).toEqual({
      observed: { best: [], last: [] },
      samples: { best: [], last: [] },
    });
  });
});
