import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLocalSandbox } from '../../backends/local/sandbox.js';
import { unmetNeed } from '../../domain/task/backend-needs.js';
import { homeLayout } from '../../domain/home/layout.js';
import { REPOSITORY } from './evaluation-job.js';

it("an open network is the host's on the local backend", async () => {
  const home = await mkdtemp(join(tmpdir(), 'bench-test-local-network-'));
  await mkdir(join(home, 'starter'));
  await writeFile(join(home, 'starter', 'a'), '');
  const server = createServer((_, response) => response.end('from the host'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const sandbox = createLocalSandbox({ layout: homeLayout(home), assetsRoot: REPOSITORY });
  const ref = { runId: 'local-open', epoch: 1 };
  try {
    const limits = { memoryMb: 512, cpus: 1, pids: 128 };
    await sandbox.start({ ...ref, starterDir: join(home, 'starter'), limits, network: 'open', gpuDevices: [] });
    const script = `python3 -c 'import urllib.request as u; print(u.urlopen("http://127.0.0.1:${port}/").read())'`;
    const outcome = await sandbox.run(ref, { n: 1, script, timeLimitSeconds: 60 }, new AbortController().signal);
    expect(outcome.output).toContain('from the host');
  } finally {
    server.close();
    await sandbox.stop(ref);
    await rm(home, { recursive: true, force: true });
  }
});

it('a list of hosts and packages need an engine, and say so', () => {
  const closed = { id: 'x', network: 'none' as const };
  expect(unmetNeed(closed, 'local')).toBeNull();
  const listed = { id: 'x', network: { allow: ['a.example'], allowPrivate: false } };
  expect(unmetNeed(listed, 'docker')).toBeNull();
  expect(unmetNeed(listed, 'local')).toMatch(/task x allows its agent a\.example .* needs a container engine/);
  expect(unmetNeed({ ...closed, requirements: { agent: 'r.txt', apt: ['git'] } }, 'local')).toContain('r.txt, git');
});
