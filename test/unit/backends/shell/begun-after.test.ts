import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { recordBeginStep, begunAfter } from '../../../../backends/shell/begun-after.js';

it('the step after which a sandbox begins is what its first start said', async () => {
  const control = mkdtempSync(join(tmpdir(), 'bench-control-'));
  onTestFinished(() => rmSync(control, { recursive: true }));
  expect(await begunAfter(control)).toBeNull();
  await recordBeginStep(control, 12);
  await recordBeginStep(control, 12);
  await expect(recordBeginStep(control, 15)).rejects.toThrow('its sandbox begins after step 12, not after step 15');
  expect(await begunAfter(control)).toBe(12);
});
