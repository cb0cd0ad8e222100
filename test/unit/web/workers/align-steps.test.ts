import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignSteps } from '../../../../web/client/workers/align-steps.js';

fc.configureGlobal({ seed: 5 });

describe('two runs side by side', () => {
  it('names where they part', () => {
    const { rows } = alignSteps(['Bash', 'Edit', 'Python', 'Submit'], ['Bash', 'Edit', 'View', 'Python', 'Submit'], 0);
    expect(rows.map(({ kind }) => kind)).toEqual(['same', 'same', 'only-b', 'same', 'same']);
    expect(rows[2]).toEqual({ a: null, b: 2, kind: 'only-b' });
  });

  it('every step of both is in one row, in order; what was copied lies beside its copy', () => {
    const kinds = fc.array(fc.constantFrom('Bash', 'Edit', 'View', 'Python'), { maxLength: 30 });
    fc.assert(
      fc.property(kinds, kinds, fc.nat(10), (first, second, copied) => {
        const { rows } = alignSteps(first, second, copied);
        expect(rows.flatMap(({ a }) => a ?? [])).toEqual(first.map((_, i) => i));
        expect(rows.flatMap(({ b }) => b ?? [])).toEqual(second.map((_, i) => i));
        for (const { a, b, kind } of rows.slice(0, Math.min(copied, first.length, second.length)))
          expect([a, kind]).toEqual([b, 'same']);
      }),
    );
  });
});
