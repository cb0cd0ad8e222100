import pc from 'picocolors';
import { expect, it } from 'vitest';
import { renderRuns } from '../../../cli/render/runs.js';
import { run } from './fixtures.js';

const colors = pc.createColors(false);

it('marks are a column where any run has one, and a sign at its score', () => {
  const marked = run({
    bestScore: 1,
    marks: [
      { rule: 'no_model_call', step: null, until: null, detail: 'x' },
      { rule: 'protected_write', step: 3, until: null, detail: 'y' },
    ],
  });
  const [head, first, second] = renderRuns([marked, run({ bestScore: 1 })], colors).split('\n');
  expect(head).toMatch(/ marks$/);
  expect(first).toMatch(/ 1 ! .* no model call, protected write$/);
  expect(second).not.toContain('!');
  expect(renderRuns([run()], colors)).not.toContain('marks');
});
