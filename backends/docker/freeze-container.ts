import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';

/** The engine may be busy with the container. */
const ATTEMPTS = 5;
const PAUSE_MS = 200;

/**
 * Pause all processes of a container. False: the engine cannot, and they continue. A stopped container needs no pause. Throws
 * what `inspect` throws.
 */
export async function freezeContainer(container: Docker.Container): Promise<boolean> {
  return await until(
    container,
    ({ Running: running, Paused: paused }) => paused || !running,
    () => container.pause(),
  );
}

/** Unpause them. Throws the engine's errors. */
export async function thawContainer(container: Docker.Container): Promise<void> {
  const thawed = await until(
    container,
    ({ Paused: paused }) => !paused,
    () => container.unpause(),
  );
  if (!thawed) throw new Error('the engine cannot unpause its processes');
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
    // The next inspection shows its state.
    await work().catch(() => undefined);
  }
}
