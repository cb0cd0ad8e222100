import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findTemporal, servicesStatus } from '../../services/index.js';
import { isAlive } from '../../services/process-identity.js';
import { ServicesHome } from '../setup/services-home.js';

const isRoot = process.getuid?.() === 0;

describe('a home that cannot be used', () => {
  const base = mkdtempSync(join(tmpdir(), 'bench-bad-home-'));
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  it('being a file, is one clear message', async () => {
    const path = join(base, 'file');
    writeFileSync(path, '');
    await expect(new ServicesHome(path).ensure()).rejects.toMatchObject({
      type: 'services',
      message: `the home ${path} cannot be used: something in its place is a file, not a directory`,
      remedy: expect.stringContaining('BENCH_HOME') as string,
    });
  });

  it.runIf(isRoot)('being read-only or full, is one clear message', async () => {
    const mount = join(base, 'mount');
    mkdirSync(mount);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'bench-test', mount]);
    try {
      await expect(new ServicesHome(join(mount, 'home')).ensure()).rejects.toMatchObject({
        type: 'services',
        message: expect.stringMatching(/full: .* free, 300 MB needed/) as string,
      });
      execFileSync('mount', ['-o', 'remount,ro', mount]);
      await expect(new ServicesHome(join(mount, 'other')).ensure()).rejects.toMatchObject({
        type: 'services',
        message: expect.stringContaining('the file system is read-only') as string,
      });
    } finally {
      execFileSync('umount', [mount]);
    }
  });
});

describe('a service that cannot start', () => {
  const homes: ServicesHome[] = [];
  const newHome = () => {
    const home = new ServicesHome();
    homes.push(home);
    return home;
  };
  afterAll(() => Promise.all(homes.map((home) => home.remove())));

  it('ends the start with the last lines of its log, and leaves no process', async () => {
    const home = newHome();
    const fake = join(home.dir, 'bin', 'temporal');
    mkdirSync(join(home.dir, 'bin'));
    writeFileSync(
      fake,
      '#!/bin/sh\n[ "$1" = --version ] && { echo temporal version 0; exit; }\necho no good today >&2; exit 3\n',
    );
    chmodSync(fake, 0o755);
    const env = { ...home.settings().env, PATH: `${home.dir}/bin:${process.env['PATH']}` };
    await expect(home.ensure({ env })).rejects.toMatchObject({
      type: 'services',
      message: expect.stringMatching(
        /temporal did not start: ended with exit code 3\nlast lines of .*temporal\.log:\n\s+no good today/,
      ) as string,
    });
    await expect.poll(() => servicesStatus(home.dir).running, { timeout: 180_000 }).toBe(false);
    for (const state of Object.values(home.file().services)) expect(isAlive(state.process)).toBe(false);

    // The next start is a new one, not the memory of this.
    expect((await home.ensure()).embedded.temporal).toBe(true);
  });

  it('being the worker, is told with its log; the servers stay up for the next try', async () => {
    const home = newHome();
    const workerCommand = [process.execPath, '-e', 'console.error("worker: no such queue"); process.exit(5)'];
    await expect(home.ensure({ workerCommand })).rejects.toMatchObject({
      message: expect.stringMatching(
        /the worker does not stay up: ended with exit code 5\n[^]*worker: no such queue/,
      ) as string,
    });
    expect((await home.ensure()).embedded.worker).toBe(true);
  });
});

describe('finding Temporal', () => {
  const cacheDir = mkdtempSync(join(tmpdir(), 'bench-cache-'));
  afterAll(() => rmSync(cacheDir, { recursive: true, force: true }));

  it('takes the one on PATH before the one in the cache', async () => {
    const bin = join(cacheDir, 'bin');
    const onPath = join(cacheDir, 'path');
    for (const directory of [bin, onPath]) {
      mkdirSync(directory);
      writeFileSync(join(directory, 'temporal'), `#!/bin/sh\necho temporal version from-${directory}\n`, {
        mode: 0o755,
      });
    }
    const found = (PATH: string) => findTemporal({ env: { PATH }, cacheDir, obtain: false });
    expect(await found(`${onPath}:/usr/bin:/bin`)).toMatchObject({ source: 'PATH', path: join(onPath, 'temporal') });
    expect(await found('/usr/bin:/bin')).toMatchObject({ source: 'cache', path: join(bin, 'temporal') });
  });

  it('passes over a program that is not Temporal, and says how to get one', async () => {
    writeFileSync(join(cacheDir, 'bin', 'temporal'), '#!/bin/sh\nexit 1\n');
    const said: string[] = [];
    const env = { PATH: '/usr/bin:/bin' };
    await expect(
      findTemporal({ env, cacheDir, obtain: false, onProgress: (line) => said.push(line) }),
    ).rejects.toMatchObject({ type: 'services', remedy: expect.stringContaining('TEMPORAL_ADDRESS') as string });
    expect(said.join('\n')).toContain('not a working Temporal CLI');
  });
});
