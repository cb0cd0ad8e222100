import pc from 'picocolors';
import { expect, it } from 'vitest';
import { renderRuns } from '../../../cli/render/runs.js';
import { run } from './fixtures.js';

const colors = pc.createColors(false);

it('flags are a column where any run has one, and a sign at its score', () => {
  const flagged = run({
    bestScore: 1,
    flags: [
      { rule: 'no_model_call', step: null, until: null, detail: 'x' },
      { rule: 'protected_write', step: 3, until: null, detail: 'y' },
    ],
  });
  const [head, first, second] = renderRuns([flagged, run({ bestScore: 1 })], colors).split('\n');
  expect(head).toMatch(/ flags$/);
  expect(first).toMatch(/ 1 ! .* no model call, protected write$/);
  expect(second).not.toContain('!');
  expect(renderRuns([run()], colors)).not.toContain('flags');
});
