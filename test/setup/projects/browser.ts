import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { prepareBeside } from '../beside-the-tests.js';
import { ensurePrograms } from '../programs.js';
import { makeScratch, say } from './environment.js';
import { setUpPostgres } from './sql.js';

const ROOT = resolve(import.meta.dirname, '../../..');
const PAGE = join(ROOT, 'dist/web/client/index.html');

const newestOf = (folder: string): number =>
  Math.max(
    0,
    ...readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  );

/** Project `browser`: PostgreSQL as for `sql`, the built page, and Chromium, if need be later. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const built = existsSync(PAGE) ? statSync(PAGE).mtimeMs : 0;
  if (built < newestOf(join(ROOT, 'web/client'))) {
    say('the page is missing or older than its sources: scripts/build-web.mjs');
    const { status } = spawnSync('node', ['scripts/build-web.mjs'], {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    if (status !== 0) throw new Error('scripts/build-web.mjs failed: the tests need dist/web/client');
  }
  const { scratch, remove } = makeScratch();
  const installed = await prepareBeside('programs', scratch, () => ensurePrograms(say));
  const stopPostgres = await setUpPostgres(project);
  return async () => {
    await installed();
    await stopPostgres();
    remove();
  };
}
