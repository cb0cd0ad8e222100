import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { programSchema } from '../../../domain/agent/program.js';
import { programFolder } from '../../../backends/program-folder.js';

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'bench-programs-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(place, { recursive: true, force: true });
});
const program = (install: object) => programSchema.parse({ client: 'openai-chat', command: 'run', install });

it('a program has the folder that it names, or a sentence about why not', async () => {
  expect(await programFolder(program({}), place)).toBeNull();
  expect(await programFolder(program({ folder: place }), place)).toBe(place);
  await expect(programFolder(program({ folder: join(place, 'none') }), place)).rejects.toThrow(
    /none is not on this host/,
  );
});

it('a host without npm says so, and leaves nothing half made', async () => {
  vi.stubEnv('PATH', place);
  await expect(programFolder(program({ npm: ['left@1.0.0'] }), join(place, 'made'))).rejects.toMatchObject({
    message: 'this host has no npm, which is needed to install left@1.0.0',
    remedy: expect.stringContaining('Install npm there') as string,
  });
  expect(existsSync(join(place, 'made', 'package.json'))).toBe(false);
});
