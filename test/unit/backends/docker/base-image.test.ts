import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connectEngine } from '../../../../backends/docker/engine.js';
import { engineAddress } from '../../../../backends/docker/engine-address.js';
import { DEBOOTSTRAP_BASE, resolveBaseImage } from '../../../../backends/docker/base-image.js';
import { StandInEngine } from '../../../setup/stand-in-engine.js';

it('a cached base gets its tag on an engine that ignores it at the import, as podman 4 does', async () => {
  const cacheDir = mkdtempSync(join(tmpdir(), 'bench-test-base-'));
  mkdirSync(join(cacheDir, 'images'));
  writeFileSync(join(cacheDir, 'images', 'bench-base-bookworm.tar'), 'a tar');
  let tagged = false;
  const engine = await new StandInEngine((method, path) => {
    if (method === 'POST' && path.endsWith('/images/create'))
      return { status: 'sha256:abc', progress: '', progressDetail: {}, id: 'sha256:abc' };
    if (method === 'POST' && path.endsWith('/images/sha256:abc/tag')) return (tagged = true);
    if (path.endsWith(`/images/${DEBOOTSTRAP_BASE}/json`) && tagged) return { Id: 'sha256:abc' };
    return undefined;
  }).start();
  try {
    const podman = connectEngine(engineAddress('podman', { BENCH_PODMAN_HOST: engine.host }));
    const found = await resolveBaseImage(podman, undefined, { cacheDir, onProgress: () => undefined });
    expect(found).toEqual({ ref: DEBOOTSTRAP_BASE, id: 'sha256:abc' });
  } finally {
    engine.stop();
    rmSync(cacheDir, { recursive: true });
  }
});
