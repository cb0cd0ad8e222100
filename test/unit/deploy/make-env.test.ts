import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bench-env-'));
  mkdirSync(join(root, 'deploy'));
  mkdirSync(join(root, 'bin'));
  cpSync(resolve(import.meta.dirname, '../../../deploy/make-env.sh'), join(root, 'deploy/make-env.sh'));
});
afterEach(() => rmSync(root, { recursive: true }));

/** `volume`: Docker has the one of an earlier database. */
function made(volume: boolean, env: Record<string, string> = {}): string {
  writeFileSync(join(root, 'bin/docker'), `#!/bin/sh\nexit ${volume ? 0 : 1}\n`);
  chmodSync(join(root, 'bin/docker'), 0o755);
  const PATH = `${join(root, 'bin')}:${process.env['PATH'] ?? ''}`;
  execFileSync('sh', [join(root, 'deploy/make-env.sh')], { env: { PATH, ...env }, stdio: 'ignore' });
  expect(statSync(join(root, '.env')).mode & 0o777).toBe(0o600);
  return readFileSync(join(root, '.env'), 'utf8');
}

describe('deploy/make-env.sh', () => {
  it('makes a password at first use, and keeps it', () => {
    const first = made(false);
    expect(first).toMatch(/^POSTGRES_PASSWORD=[0-9a-f]{48}\n$/);
    expect(made(false)).toBe(first);
    expect(made(true)).toBe(first);
  });

  it('makes another one for another checkout', () => {
    const first = made(false);
    rmSync(join(root, '.env'));
    expect(made(false)).not.toBe(first);
  });

  it('keeps other lines, and closes a file that others could read', () => {
    writeFileSync(join(root, '.env'), 'BENCH_GPUS=0\n', { mode: 0o644 });
    expect(made(false)).toMatch(/^BENCH_GPUS=0\nPOSTGRES_PASSWORD=[0-9a-f]{48}\n$/);
  });

  it('lets an earlier database keep its password', () => {
    expect(made(true)).toBe('POSTGRES_PASSWORD=bench\n');
  });

  it('takes a password that is given', () => {
    expect(made(true, { POSTGRES_PASSWORD: 'mine' })).toBe('POSTGRES_PASSWORD=mine\n');
  });
});
