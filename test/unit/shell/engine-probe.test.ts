import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { probeEngine } from '../../../activities/docker/engine.js';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bench-probe-'));
});
afterAll(() => rm(dir, { recursive: true }));

it('says that there is no engine', async () => {
  const probe = await probeEngine(`unix://${dir}/absent.sock`);
  expect(probe).toMatchObject({ kind: 'unavailable', reason: expect.stringContaining('does not exist') as string });
});

it('says that remote engines will not do', async () => {
  for (const host of ['tcp://10.0.0.1:2375', 'ssh://me@there'])
    expect(await probeEngine(host)).toMatchObject({
      kind: 'unavailable',
      reason: expect.stringContaining('remote') as string,
    });
});

it('says that what answers is no engine', async () => {
  const socket = join(dir, 'other.sock');
  const server = createServer((_, response) => response.writeHead(500).end('no')).listen(socket);
  try {
    const probe = await probeEngine(socket);
    expect(probe).toMatchObject({ kind: 'unavailable', reason: expect.stringContaining('does not answer') as string });
  } finally {
    server.close();
  }
});
