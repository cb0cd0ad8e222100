import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Docker from 'dockerode';
import { pack } from 'tar-stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { collectFiles } from '../../../activities/docker/collect-files.js';

/** Of Go: a directory. */
const DIRECTORY = 2 ** 31;

let engine: Server;
let docker: Docker;
/** So many archives are broken off, as when a file changes while it is read. */
let brokenOff: number;
let running: boolean;

beforeEach(async () => {
  running = true;
  engine = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://engine');
    if (pathname.endsWith('/json')) return response.end(JSON.stringify({ State: { Running: running } }));
    const stat = { name: 'nest', size: 0, mode: DIRECTORY };
    response.setHeader('x-docker-container-path-stat', Buffer.from(JSON.stringify(stat)).toString('base64'));
    if (request.method === 'HEAD') return response.end();
    const archive = pack();
    archive.entry({ name: 'nest', type: 'directory' });
    archive.entry({ name: 'nest/file' }, 'all of it');
    archive.finalize();
    const chunks: Buffer[] = [];
    archive.on('data', (chunk) => chunks.push(chunk as Buffer));
    archive.on('end', () => {
      const whole = Buffer.concat(chunks);
      response.end(brokenOff-- > 0 ? whole.subarray(0, 1_028) : whole);
    });
  });
  await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
  docker = new Docker({ host: '127.0.0.1', port: (engine.address() as AddressInfo).port, protocol: 'http' });
});
afterEach(() => engine.close());

const collected = () => collectFiles(docker.getContainer('c'), [], 1_000, { folders: ['nest'] });

it('reads a folder again whose archive the engine broke off', async () => {
  brokenOff = 2;
  expect(await collected()).toEqual({
    kind: 'files',
    files: [{ path: 'nest/file', bytes: Buffer.from('all of it') }],
  });
});

it('refuses one that is never read to its end, unless the container is at fault', async () => {
  brokenOff = 100;
  expect(await collected()).toEqual({ kind: 'refused', reason: 'nest/ changes while it is read' });
  running = false;
  await expect(collected()).rejects.toThrow('Unexpected end of data');
});
