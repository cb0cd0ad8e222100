import { expect, it } from 'vitest';
import { badPath } from '../../../../backends/shell/submission-paths.js';

it.each(['strategy.py', 'sub/dir/model.bin', '.hidden', 'spa ce', 'a..b', '...'])(
  '%s is inside the workspace',
  (path) => {
    expect(badPath(path)).toBeNull();
  },
);

it.each(['', '/etc/passwd', '..', 'a/../b', './a', 'a//b', 'a/', 'a\0b'])('%j is not', (path) => {
  expect(badPath(path)).not.toBeNull();
});
