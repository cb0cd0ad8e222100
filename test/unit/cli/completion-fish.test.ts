import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { completionScript } from '../../../cli/completion/scripts.js';
import { findProgram } from '../../setup/programs.js';

const dir = mkdtempSync(join(tmpdir(), 'bench-completion-'));
afterAll(() => rmSync(dir, { recursive: true }));

// Answers as the program does, and keeps what it was asked.
writeFileSync(
  join(dir, 'bench'),
  `#!/bin/sh\nprintf '%s|' "$@" >${dir}/asked\nprintf 'o3,scripted:baseline\\tmodel\\n--backend=podman\\t\\n'\n`,
  { mode: 0o755 },
);
writeFileSync(join(dir, 'completion.fish'), completionScript.fish);

describe.runIf((await findProgram('fish', 'completion in fish')) !== null)('fish', () => {
  it.each([
    ['--models o3,scripted:base', 'o3,scripted:baseline\tmodel', '--models|o3,scripted:base|'],
    ['--backend=pod', '--backend=podman', '--backend=pod|'],
    [`--name '$(touch no)' --backend=pod`, '--backend=podman', '--name|$(touch no)|--backend=pod|'],
  ])('completes %s, and runs none of it', (text, completed, asked) => {
    const program = `source ${dir}/completion.fish; complete -C $argv[1]`;
    const found = execFileSync('fish', ['--no-config', '-c', program, `bench submit ${text}`], {
      ...{
        cwd: dir,
        encoding: 'utf8',
        env: { ...process.env, HOME: dir, PATH: `${dir}:${process.env['PATH'] ?? ''}` },
      },
    });
    expect(found.trim().split('\n')).toEqual([completed]);
    expect(readFileSync(join(dir, 'asked'), 'utf8')).toBe(`__complete|submit|${asked}`);
    expect(execFileSync('ls', [dir], { encoding: 'utf8' })).not.toContain('no\n');
  });
});
