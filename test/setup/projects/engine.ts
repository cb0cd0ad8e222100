import { prepareBeside } from '../beside-the-tests.js';
import { ensureDockerEngine } from '../docker-engine.js';
import { ensurePodmanEngine } from '../podman-engine.js';
import { ensureTestImages } from '../test-images.js';
import { clearEnvironment, makeScratch, say } from './environment.js';

/** Project `engine`: Docker, Podman if possible, and the images, if need be later. */
export async function setup(): Promise<() => Promise<void>> {
  clearEnvironment();
  await ensureDockerEngine(say);
  await ensurePodmanEngine(say);
  const { scratch, remove } = makeScratch();
  const done = await prepareBeside('images', scratch, () => ensureTestImages(say));
  return async () => {
    await done();
    remove();
  };
}
