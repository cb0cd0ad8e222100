import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';

const ATTEMPTS = 5;
const PAUSE_MS = 200;

/** False: the engine cannot pause, and processes continue. Throws what `inspect` throws. */
export async function freezeContainer(container: Docker.Container): Promise<boolean> {
  return await until(
    container,
    ({ Running: running, Paused: paused }) => paused || !running,
    () => container.pause(),
  );
}

/** Throws the engine's errors. */
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
