import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { engineAddress } from '../../../../backends/docker/engine-address.js';

it('is the machine’s own engine unless the environment says otherwise', () => {
  expect(engineAddress('docker', { DOCKER_HOST: '' })).toMatchObject({
    url: 'unix:///var/run/docker.sock',
    sharesFiles: true,
  });
  expect(engineAddress('podman', { DOCKER_HOST: 'tcp://elsewhere:2375' }).url).toMatch(/^unix:.*podman\.sock$/);
});

it('is a socket, shared unless it is said to be forwarded', () => {
  const socket = {
    connection: { socketPath: '/x/y.sock' },
    url: 'unix:///x/y.sock',
    socketPath: '/x/y.sock',
    named: true,
  };
  expect(engineAddress('docker', { DOCKER_HOST: '/x/y.sock' })).toEqual({
    ...socket,
    backend: 'docker',
    sharesFiles: true,
  });
  const forwarded = { BENCH_PODMAN_HOST: 'unix:///x/y.sock', BENCH_ENGINE_REMOTE: '1' };
  expect(engineAddress('podman', forwarded)).toEqual({ ...socket, backend: 'podman', sharesFiles: false });
});

it.each([
  ['tcp://engine:2375', 'engine', '2375'],
  ['tcp://engine:80', 'engine', '80'],
  ['tcp://engine', 'engine', '2375'],
  ['tcp://[::1]:99', '::1', '99'],
])('is reached over the network at %s, and shares nothing', (DOCKER_HOST, host, port) => {
  expect(engineAddress('docker', { DOCKER_HOST })).toMatchObject({
    sharesFiles: false,
    socketPath: null,
    connection: { protocol: 'http', host, port },
  });
});

it('uses the certificates of DOCKER_CERT_PATH', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bench-certificates-'));
  try {
    const env = { DOCKER_HOST: 'tcp://engine:2376', DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: dir };
    expect(() => engineAddress('docker', env)).toThrow(join(dir, 'ca.pem'));
    for (const name of ['ca', 'cert', 'key']) writeFileSync(join(dir, `${name}.pem`), name);
    expect(engineAddress('docker', env).connection).toEqual({
      ...{ protocol: 'https', host: 'engine', port: '2376' },
      ...{ ca: Buffer.from('ca'), cert: Buffer.from('cert'), key: Buffer.from('key') },
    });
  } finally {
    rmSync(dir, { recursive: true });
  }
});

it('says how an engine behind ssh is reached', () => {
  expect(() => engineAddress('docker', { DOCKER_HOST: 'ssh://me@there' })).toThrow(
    expect.objectContaining({ type: 'usage', remedy: expect.stringContaining('ssh -nNT -L') as string }) as Error,
  );
});

it.each(['here', 'ftp://there', 'tcp://', 'tcp://a b', 'tcp://there/path'])('refuses %s', (DOCKER_HOST) => {
  expect(() => engineAddress('docker', { DOCKER_HOST })).toThrow(/DOCKER_HOST/);
});
