// Random comparisons that shrink to the smallest one that fails: fast-check.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { areasUnderProfiles, type ComparedScores, profileAxis } from '../../../oracles/areas-under-profiles.js';
import { KINDS } from '../../../../domain/statistics/compared.js';
import { profileSteps } from '../../../../domain/statistics/profile-steps.js';
import { comparisons } from '../../../oracles/random-comparisons.js';

const AXIS = 1;
const area = (tasks: ComparedScores, mode: 'strict' | 'compat', method: number) =>
  areasUnderProfiles(tasks, 'best', mode, AXIS)[method] ?? 0;
const SEED = { seed: 6, numRuns: 200 };

describe('the AUP, with the axis held', () => {
  it('never falls when one of the model’s scores gets better', () => {
    fc.assert(
      fc.property(
        comparisons(),
        fc.nat(),
        fc.nat(),
        fc.double({ min: 1, max: 5, noNaN: true }),
        (tasks, t, m, factor) => {
          const [at, method] = [t % tasks.length, m % tasks[0]!.cells.length];
          const better = tasks.map((task, i) => {
            if (i !== at) return task;
            const up = task.direction === 'maximize' ? factor : 1 / factor;
            return {
              ...task,
              cells: task.cells.map((cell, j) =>
                j !== method || cell.best === null ? cell : { ...cell, best: cell.best * up },
              ),
            };
          });
          // A first feasible score brings its task into the comparison: another set of tasks.
          const feasibleNow = (of: ComparedScores) => of.filter((task) => profileAxis([task]) !== null).length;
          fc.pre(feasibleNow(better) === feasibleNow(tasks));
          expect(area(better, 'strict', method)).toBeGreaterThanOrEqual(area(tasks, 'strict', method) - 1e-12);
        },
      ),
      SEED,
    );
  });

  it('is the same in whatever order the models stand', () => {
    fc.assert(
      fc.property(comparisons(), fc.constantFrom('strict' as const, 'compat' as const), (tasks, mode) => {
        const reversed = tasks.map((task) => ({ ...task, cells: [...task.cells].reverse() }));
        for (const kind of KINDS)
          expect(areasUnderProfiles(reversed, kind, mode, AXIS).reverse()).toEqual(
            areasUnderProfiles(tasks, kind, mode, AXIS),
          );
      }),
      SEED,
    );
  });

  it('is the same in whatever unit a task is measured', () => {
    fc.assert(
      fc.property(comparisons(), fc.constantFrom(0.125, 0.5, 2, 1024), (tasks, unit) => {
        // Powers of two, so that the same numbers are equal afterwards.
        const times = (value: number | null) => (value === null ? null : value * unit);
        const scaled = tasks.map((task) => ({
          ...task,
          baseline: times(task.baseline),
          cells: task.cells.map((cell) => ({ ...cell, best: times(cell.best), last: times(cell.last) })),
        }));
        for (const mode of ['strict', 'compat'] as const)
          expect(areasUnderProfiles(scaled, 'best', mode, AXIS)).toEqual(areasUnderProfiles(tasks, 'best', mode, AXIS));
      }),
      SEED,
    );
  });

  it('is the area under the steps of the profile', () => {
    const area = (steps: readonly (readonly [number, number])[], axis: number) =>
      steps.reduce((sum, [tau, share], i) => sum + share * ((steps[i + 1]?.[0] ?? axis) - tau), 0) / axis;
    const steps = profileSteps([1, 2, null, 2, 30], 1);
    expect(steps).toEqual([
      [0, 0.2],
      [Math.log10(2), 0.6],
    ]);
    const cells = [1, 2, null, 2, 30].map((ratio) => ({
      direction: 'minimize' as const,
      baseline: 100,
      cells: [ratio, 1].map((score) => ({ best: score, last: score, ran: true })),
    }));
    expect(areasUnderProfiles(cells, 'best', 'strict', 1)[0]).toBeCloseTo(area(steps, 1), 12);
  });
});

describe('a failed infrastructure', () => {
  const feasibleBy = (...best: (number | null)[]) => ({
    direction: 'maximize' as const,
    baseline: 1,
    cells: best.map((score, i) => ({ best: score, last: score, ran: i === 0 })),
  });
  it('takes the task out of the model’s strict area, and out of nobody else’s', () => {
    expect(areasUnderProfiles([feasibleBy(2, 2), feasibleBy(2, null)], 'best', 'strict', 1)).toEqual([1, 1]);
    expect(areasUnderProfiles([feasibleBy(2, null)], 'best', 'strict', 1)).toEqual([1, null]);
  });
});
