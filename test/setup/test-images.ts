import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { connectEngine, probeEngine } from '../../backends/docker/engine.js';
import { engineAddress } from '../../backends/docker/engine-address.js';
import { ensureImage } from '../../backends/docker/images.js';
import { testPodman } from './podman-engine.js';

/** Builds once what several files would build at once. Tests that need a failed one say why. */
export async function ensureTestImages(say: (line: string) => void): Promise<void> {
  const docker = connectEngine(engineAddress('docker', process.env));
  const options = {
    assetsRoot: resolve(import.meta.dirname, '../..'),
    cacheDir: join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'bench'),
    onProgress: say,
  };
  const podman = await probeEngine(testPodman());
  try {
    for (const kind of ['agent', 'evaluator'] as const) {
      await ensureImage(docker, kind, options);
      if (podman.kind === 'ok') await ensureImage(podman.docker, kind, { ...options, donor: docker });
    }
  } catch (error) {
    say(`the images cannot be made now: ${(error as Error).message}`);
  }
}
