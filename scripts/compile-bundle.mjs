// Code that V8 has compiled for the files of dist/bundle/, kept beside them for load-bundle.cjs. It holds what a program has called
// by its end, so each is started here, in a process of its own and with nothing to do, and ends when it says so.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NOBODY = '127.0.0.1:1';

/** How each is started. The relay is small, and would start a server. */
const STARTS = {
  supervisor: { input: '{}' },
  'workflow-thread': {},
  worker: { env: { DATABASE_URL: `postgres://${NOBODY}/none`, TEMPORAL_ADDRESS: NOBODY } },
  'command-line': { args: ['validate-config', '--json'] },
};

/** `programs` tells of each its own file, and those that it may load. */
export function compileBundle(folder, programs) {
  const keeper = join(import.meta.dirname, 'keep-code.cjs');
  const loader = join(folder, 'load-bundle.cjs');
  const home = mkdtempSync(join(tmpdir(), 'bench-build-'));
  // Caches of an earlier build would be accepted and kept, with that loader's flags of V8.
  for (const { own, parts } of Object.values(programs))
    for (const name of [...parts, own]) rmSync(join(folder, `${name}.cache`), { force: true });
  for (const [program, { args = [], env = {}, input = '' }] of Object.entries(STARTS)) {
    const { own, parts } = programs[program];
    const { stderr } = spawnSync(process.execPath, [keeper, loader, JSON.stringify([...parts, own]), ...args], {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home, BENCH_HOME: home, ...env },
      input,
      encoding: 'utf8',
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    if (!existsSync(join(folder, `${own}.cache`))) throw new Error(`${program} could not be started: ${stderr}`);
  }
  rmSync(home, { recursive: true });
}
