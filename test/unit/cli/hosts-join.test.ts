import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { invitationOf, joinLine } from '../../../cli/commands/hosts-join.js';

it('an invitation reaches `join` through a pipe: no program has it among its arguments', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bench-join-line-'));
  try {
    writeFileSync(join(dir, 'bench'), '#!/bin/sh\necho "$@"\ntest "$1" = worker || cat\n', { mode: 0o755 });
    const printed = execFileSync('sh', ['-c', joinLine('eyJz')], {
      env: { PATH: `${dir}:${process.env['PATH'] ?? ''}` },
      encoding: 'utf8',
    });
    expect(printed).toBe('hosts join -\neyJz\nworker\n');
  } finally {
    rmSync(dir, { recursive: true });
  }
});

it('`join` takes its argument, or stdin for `-`, where something comes from there', async () => {
  expect(await invitationOf('eyJz', Readable.from(['other']))).toBe('eyJz');
  expect((await invitationOf('-', Readable.from([Buffer.from('ey'), Buffer.from('Jz\n')]))).trim()).toBe('eyJz');
  await expect(invitationOf('-', Object.assign(Readable.from([]), { isTTY: true }))).rejects.toThrow(/from stdin/);
});
