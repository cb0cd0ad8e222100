import { ensureDockerEngine } from '../docker-engine.js';
import { ensurePodmanEngine } from '../podman-engine.js';
import { ensureTestImages } from '../test-images.js';
import { clearEnvironment, makeScratch, say } from './environment.js';

/** Project `engine`: Docker answers, Podman where it can be had, and both have the images of agents and evaluators. */
export async function setup(): Promise<() => void> {
  clearEnvironment();
  await ensureDockerEngine(say);
  await ensurePodmanEngine(say);
  await ensureTestImages(say);
  return makeScratch();
}
