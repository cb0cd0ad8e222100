import { expect, it } from 'vitest';
import { InstallFailed } from '../../../backends/docker/install-layer.js';

const NONE = 'ERROR: No matching distribution found for tool==2.0';

it('names the Python that all releases of a package need, and keeps the long list of them short', () => {
  const releases = Array.from({ length: 90 }, (_, i) => `1.${i}.0 Requires-Python >=3.12`).join('; ');
  const failed = new InstallFailed(
    [`ERROR: Ignored the following versions that require a different python version: ${releases}`, NONE],
    false,
  );
  expect(failed.otherPython).toBe('>=3.12');
  expect(failed.lastLines.length).toBeLessThan(400);
  expect(failed.lastLines).toContain(NONE);
});

it('names no Python where a version is wrong', () => {
  expect(new InstallFailed([NONE], false).otherPython).toBeNull();
});
