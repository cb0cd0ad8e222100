import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collectNotTested, notTested } from '../../setup/not-tested.js';
import { onPath } from '../../setup/packages.js';
import { ensurePrograms, findProgram } from '../../setup/programs.js';
import { lastLines } from '../../setup/summary-reporter.js';

let dir: string;
const before = { ...process.env };
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bench-programs-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
  for (const name of ['PATH', 'BENCH_TEST_NOT_TESTED', 'BENCH_TEST_PREPARED_PROGRAMS'])
    if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = before[name];
});

/** A machine with these programs alone; apt-get records requests, and fails before an update. */
function machineWith(...programs: string[]): { env: NodeJS.ProcessEnv; lock: string } {
  for (const tool of ['sh', 'flock', 'touch', 'chmod']) symlinkSync(onPath(tool)!, join(dir, tool));
  for (const program of programs) writeFileSync(join(dir, program), '', { mode: 0o755 });
  const apt = `#!/bin/sh
echo "$*" >>${dir}/asked
[ "$1" != update ] || { touch ${dir}/lists; exit 0; }
[ -e ${dir}/lists ] || exit 100
for last; do case $last in chromium|zsh|fish) touch ${dir}/$last; chmod +x ${dir}/$last;; esac; done
`;
  writeFileSync(join(dir, 'apt-get'), apt, { mode: 0o755 });
  return { env: { PATH: dir }, lock: join(dir, 'lock') };
}

const asked = (): string[] =>
  readFileSync(join(dir, 'asked'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/ -\S+( \S+=\S+)?/g, ''));

describe.runIf(process.getuid?.() === 0)('on a fresh Debian', () => {
  it('what is missing of Chromium and shells is installed, with new lists where the old know nothing of it', async () => {
    await ensurePrograms(() => undefined, machineWith('fish'));
    expect(asked()).toEqual(['install chromium zsh', 'update', 'install chromium zsh']);
    expect(onPath('chromium', dir)).toBe(join(dir, 'chromium'));
  });

  it('a browser of another name is taken as it is', async () => {
    const machine = machineWith('google-chrome', 'fish', 'zsh');
    await ensurePrograms(() => expect.unreachable(), machine);
  });
});

it('a missing browser is named in the last lines, with what brings it, before the counts', async () => {
  const named = collectNotTested();
  process.env['PATH'] = dir;
  Reflect.deleteProperty(process.env, 'BENCH_TEST_PREPARED_PROGRAMS');
  expect(await findProgram('chromium', 'pages in a browser')).toBeNull();
  expect(await findProgram('chromium', 'pages in a browser')).toBeNull();
  notTested('artifacts in S3', 'no server');
  const lines = lastLines({ passed: 3, failed: 0, skipped: 2 }, named()).trimEnd().split('\n');
  expect(lines.slice(1, 4)).toEqual([
    'Not tested here:',
    '  artifacts in S3: no server',
    expect.stringMatching(/^ {2}pages in a browser: no chromium on PATH, .*apt-get install .* chromium$/),
  ]);
  expect(lines.at(-1)).toBe('3 passed, 0 failed, 2 skipped');
});

it('a browser that could not be installed is named with the reason', async () => {
  const named = collectNotTested();
  process.env['PATH'] = dir;
  process.env['BENCH_TEST_PREPARED_PROGRAMS'] = join(dir, 'mark');
  writeFileSync(join(dir, 'mark'), 'Error: apt-get could not install chromium');
  expect(await findProgram('chromium', 'pages in a browser')).toBeNull();
  expect(named().join()).toContain('apt-get could not install chromium');
});
