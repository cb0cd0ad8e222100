import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { completionScript } from '../../../cli/completion/scripts.js';

const dir = mkdtempSync(join(tmpdir(), 'bench-completion-'));
afterAll(() => rmSync(dir, { recursive: true }));

// Answers as the program does, and keeps what it was asked.
const program = join(dir, 'bench');
writeFileSync(
  program,
  `#!/bin/sh\nprintf '%s|' "$@" >${dir}/asked\nprintf 'o3,scripted:baseline\\tmodel\\n--backend=podman\\t\\n'\n`,
  { mode: 0o755 },
);

it.each([
  ['--models o3,scripted:base', ['--models', 'o3,scripted', ':', 'base'], 'baseline', '--models|o3,scripted:base|'],
  ['--backend=pod', ['--backend', '=', 'pod'], 'podman', '--backend=pod|'],
  [
    '--name $(touch no) --backend=pod',
    ['--name', '$(touch no)', '--backend', '=', 'pod'],
    'podman',
    '--name|$(touch no)|--backend=pod|',
  ],
])('bash completes %s from what it cut at colons and equals signs, and runs none of it', (text, cut, reply, asked) => {
  const line = `bench submit ${text}`;
  const test = `${completionScript.bash}
    COMP_LINE=$1 COMP_POINT=\${#1}; program=$2; shift 2; COMP_WORDS=("$@") COMP_CWORD=$(($#-1))
    _bench "$program"; printf '%s ' "\${COMPREPLY[@]}"`;
  const args = ['--norc', '-c', test, 'bash', line, program, 'bench', 'submit', ...cut];
  expect(execFileSync('bash', args, { cwd: dir, encoding: 'utf8' }).trim()).toBe(reply);
  expect(execFileSync('cat', [join(dir, 'asked')], { encoding: 'utf8' })).toBe(`__complete|submit|${asked}`);
  expect(execFileSync('ls', [dir], { encoding: 'utf8' })).not.toContain('no\n');
});
