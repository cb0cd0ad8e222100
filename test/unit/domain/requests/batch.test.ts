import { getTableColumns } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../db/schema/runs.js';
import { batchRequest } from '../../../../domain/requests/batch.js';
import { KEPT, keptOptions, runOptionsSchema } from '../../../../domain/requests/run-options.js';
import type { TaskSpec } from '../../../../domain/task/task.js';

describe('a request for a batch', () => {
  it('needs models and tasks alone; the rest has defaults', () => {
    expect(batchRequest({ models: ['a'], tasks: ['b'] })).toMatchObject({
      name: null,
      seed: 42,
      concurrency: 8,
      groups: [{ models: ['a'], tasks: ['b'], agent: 'default', attempts: 4, maxSteps: 50, wallTime: null }],
    });
  });

  it('gives each group what is stated for all, defaults last', () => {
    const { groups } = batchRequest({
      tasks: ['t'],
      attempts: 2,
      wallTime: '2h',
      groups: [{ models: ['a'] }, { models: ['b'], attempts: 3, wallTime: 90 }],
    });
    expect(groups.map(({ models, attempts, wallTime, maxSteps }) => [models, attempts, wallTime, maxSteps])).toEqual([
      [['a'], 2, 7200, 50],
      [['b'], 3, 90, 50],
    ]);
  });

  it('is the same request once more when it is completed again', () => {
    const whole = batchRequest({ models: ['a'], tasks: ['b'], wallTime: '30m', budget: 0.25, costLimit: '5' });
    expect(batchRequest(whole)).toEqual(whole);
  });

  it.each([
    [{ models: ['a'] }, /tasks: is missing/],
    [{ models: ['a'], tasks: ['b'], attempts: 0 }, /attempts: must be a whole number from 1 to 10000, or auto/],
    [{ models: ['a'], tasks: ['b'], budget: 0 }, /budget: must be US dollars above zero/],
    [{ models: ['a'], tasks: ['b'], wallTime: 'long' }, /wallTime: must be seconds, or as 90s, 30m, 2h/],
    [{ models: ['a'], tasks: ['b'], name: 'r-x' }, /name: must be letters/],
    [{ models: ['a'], tasks: ['b'], attempt: 3 }, /attempt/],
  ])('that is wrong is refused with the key: %j', (input, message) => {
    expect(() => batchRequest(input)).toThrow(message);
  });
});

describe('options that runs keep', () => {
  it('have a column of their own name', () => {
    expect(Object.keys(getTableColumns(runs))).toEqual(expect.arrayContaining([...KEPT]));
  });

  it('are as the request says, and else as the task says', () => {
    const task = { snapshotEvery: 10 } as TaskSpec;
    const options = runOptionsSchema.parse({});
    expect(keptOptions(options, task)).toEqual({ maxSteps: 50, tokenLimit: 0, memory: false, snapshotEvery: 10 });
    expect(keptOptions({ ...options, snapshotEvery: 0 }, task).snapshotEvery).toBe(0);
  });
});
