import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterEach, expect, it, vi } from 'vitest';
import { jobFiles } from '../../backends/evaluator/job-files.js';
import { processesWith, REPOSITORY, smallJob } from './evaluation-job.js';

const folders: string[] = [];
afterEach(async () => {
  for (const dir of folders.splice(0)) await rm(dir, { recursive: true, force: true });
});

it('a local evaluation ends with its player when the worker dies', async () => {
  const marker = `86402.${process.pid}${Math.floor(Math.random() * 1e6)}`;
  const job = await smallJob(`import os\nos.execv('/bin/sleep', ['sleep', '${marker}'])\n`);
  const dir = await mkdtemp(join(tmpdir(), 'bench-test-lifeline-'));
  folders.push(dir, job.taskDir);
  for (const { path, bytes } of await jobFiles(job, {
    users: null,
    lifeline: true,
    ownContainer: false,
    outputFolder: dir,
  })) {
    await mkdir(bytes === null ? join(dir, path) : dirname(join(dir, path)), { recursive: true });
    if (bytes !== null) await writeFile(join(dir, path), bytes);
  }
  const init = execa('python3', ['-I', join(REPOSITORY, 'images', 'evaluator', 'init.py'), dir], {
    stdin: 'pipe',
    reject: false,
  });
  await vi.waitFor(async () => expect(await processesWith(marker)).toHaveLength(1), { timeout: 120_000 });

  init.stdin.destroy(); // what the kernel does for a worker that is killed

  expect(await init).toMatchObject({ exitCode: 1, stdout: '' });
  await vi.waitFor(async () => expect(await processesWith(marker)).toEqual([]), { timeout: 120_000 });
});
