import fc from 'fast-check';
import type { ComparedScores } from './areas-under-profiles.js';

/** In sixty-fourths, so that equal ones occur and doubling is exact. */
const number = (min: number, max: number) => fc.integer({ min: min * 64, max: max * 64 }).map((n) => n / 64);
const score = fc.option(number(-2, 20), { freq: 6, nil: null });
const cell = fc.record({ best: score, last: score, ran: fc.boolean() }).map((one) => ({
  ...one,
  ran: one.ran || one.best !== null || one.last !== null,
}));

/** Up to seven tasks, two to six methods; scores of both signs, missing ones, pairs not run. */
export const comparisons = (): fc.Arbitrary<ComparedScores> =>
  fc.integer({ min: 2, max: 6 }).chain((methods) =>
    fc.array(
      fc.record({
        direction: fc.constantFrom('maximize' as const, 'minimize' as const),
        baseline: fc.option(number(-1, 15), { freq: 4, nil: null }),
        cells: fc.array(cell, { minLength: methods, maxLength: methods }),
      }),
      { minLength: 1, maxLength: 7 },
    ),
  );
