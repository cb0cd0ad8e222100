import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { probeEngine } from '../../../../backends/docker/engine.js';
import { engineAddress } from '../../../../backends/docker/engine-address.js';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bench-probe-'));
});
afterAll(() => rm(dir, { recursive: true }));

it('says that there is no engine', async () => {
  const probe = await probeEngine(engineAddress('docker', { DOCKER_HOST: `unix://${dir}/absent.sock` }));
  expect(probe).toMatchObject({
    ...{ kind: 'unavailable', reason: `DOCKER_HOST names ${dir}/absent.sock, which does not exist` },
    remedy: expect.stringMatching(/^correct DOCKER_HOST, or unset it/) as string,
  });
});

it('says that what answers is no engine', async () => {
  const socket = join(dir, 'other.sock');
  const server = createServer((_, response) => response.writeHead(500).end('no')).listen(socket);
  try {
    const probe = await probeEngine(engineAddress('podman', { BENCH_PODMAN_HOST: socket }));
    expect(probe).toMatchObject({ kind: 'unavailable', reason: expect.stringContaining('does not answer') as string });
  } finally {
    server.close();
  }
});
