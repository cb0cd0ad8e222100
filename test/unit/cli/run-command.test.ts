import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../../cli/run-command.js';

/** Runs it as from a shell without a terminal, in an empty home that starts nothing. */
async function ran(...args: string[]): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const kept = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof kept) => ({ write: (text: string) => (kept[name] += text) });
  const dir = mkdtempSync(join(tmpdir(), 'bench-command-'));
  const exitCode = await runCommand(args, {
    env: { BENCH_HOME: join(dir, 'home'), NO_COLOR: '1' },
    cwd: dir,
    stdout: stream('stdout'),
    stderr: stream('stderr'),
  });
  return { exitCode, ...kept };
}

test('commands of one process tell their own callers', async () => {
  const [version, completion, wrong] = await Promise.all([
    ran('--version'),
    ran('completion', 'bash'),
    ran('completion', '--nope', '--json'),
  ]);
  expect([version.exitCode, version.stderr]).toEqual([0, '']);
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect([completion.exitCode, completion.stderr]).toEqual([0, '']);
  expect(completion.stdout).toContain('complete -');
  expect(wrong.exitCode).toBe(2);
  expect(JSON.parse(wrong.stdout)).toMatchObject({ error: { type: 'usage' } });
  expect(wrong.stderr).toContain('--nope');
});
