import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { connectEngine, probeEngine } from '../../backends/docker/engine.js';
import { engineAddress } from '../../backends/docker/engine-address.js';
import { ensureImage } from '../../backends/docker/images.js';
import { testPodman } from './podman-engine.js';

/**
 * The images of agents and evaluators are there when this returns: else several files would make the same ones at the same time,
 * and base images too. Where they cannot be made, whoever needs them says why.
 */
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
