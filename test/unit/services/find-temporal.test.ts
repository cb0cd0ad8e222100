import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { lock } from '../../../services/file-lock.js';
import { findTemporal } from '../../../services/find-temporal.js';

it('whoever waits for another process that installs Temporal is told once; the rest is for whoever asked', async () => {
  const cacheDir = mkdtempSync(join(tmpdir(), 'bench-find-temporal-'));
  onTestFinished(() => rmSync(cacheDir, { recursive: true, force: true }));
  const bin = join(cacheDir, 'bin');
  mkdirSync(bin);
  const held = await lock(join(bin, '.temporal.lock'), { timeoutMs: 1000 });
  const [lines, waits]: [string[], string[]] = [[], []];
  let tell: () => void = () => undefined;
  const waiting = new Promise<void>((told) => (tell = told));
  const finding = findTemporal({
    ...{ cacheDir, env: { PATH: '/usr/bin:/bin' }, onProgress: (line) => void lines.push(line) },
    onWait: (what) => {
      waits.push(what);
      tell();
    },
  });
  await waiting;
  writeFileSync(join(bin, 'temporal'), '#!/bin/sh\necho temporal version 1.0.0\n', { mode: 0o755 });
  held.release();
  expect(await finding).toMatchObject({ source: 'cache', version: 'temporal version 1.0.0' });
  expect(waits).toEqual(['another process that installs Temporal']);
  expect(lines).toEqual([expect.stringContaining('waiting for another process that installs Temporal')]);
});
