import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';

/** The engine may be in the midst of something with it. */
const ATTEMPTS = 5;
const PAUSE_MS = 200;

/**
 * Stop all processes of a container where they are. False: the engine cannot, and they go on. One that does not run needs none.
 * Throws what `inspect` throws.
 */
export async function freezeContainer(container: Docker.Container): Promise<boolean> {
  return await until(
    container,
    ({ Running: running, Paused: paused }) => paused || !running,
    () => container.pause(),
  );
}

/** Let them go on. Throws the engine's errors. */
export async function thawContainer(container: Docker.Container): Promise<void> {
  const thawed = await until(
    container,
    ({ Paused: paused }) => !paused,
    () => container.unpause(),
  );
  if (!thawed) throw new Error('the engine does not let its processes go on');
}

async function until(
  container: Docker.Container,
  done: (state: Docker.ContainerInspectInfo['State']) => boolean,
  work: () => Promise<unknown>,
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    if (done((await container.inspect()).State)) return true;
    if (attempt > ATTEMPTS) return false;
    if (attempt > 1) await sleep(PAUSE_MS);
    // What became of it, somebody else's doing included, is seen next.
    await work().catch(() => undefined);
  }
}
