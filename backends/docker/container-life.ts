import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { SandboxLost } from '../../domain/errors.js';
import { statusOf, unlessStatus } from './engine-errors.js';
import { endStrayShim } from './stray-shim.js';

/** Podman refuses to start or remove a container that just died until it has cleaned up. */
const STILL_DYING = /container state improper|refusing to clean up/;
/** An engine that died during a start leaves a task or endpoint of that name behind. */
const HALF_STARTED = /\balready exists\b|\bid already in use\b/;
const MOST_REFUSALS = 50;
const REFUSED_WAIT_MS = 100;
const REMOVAL_LIMIT_MS = 120_000;
const LOOK_EVERY_MS = 3_000;
const ENDED = ['exited', 'stopped', 'dead'];

/** Starts it unless it runs. Throws the engine's errors; SandboxLost if it can never start. */
export async function startContainer(container: Docker.Container): Promise<void> {
  let cleared = false;
  for (let refusals = 0; ; refusals++) {
    try {
      return await untilDead(() => container.start().catch(unlessStatus(304)));
    } catch (error) {
      const { message } = error as Error;
      if (!HALF_STARTED.test(message)) throw error;
      if (refusals === 0) cleared = await endStrayShim((await container.inspect()).Id);
      if (!cleared || refusals === MOST_REFUSALS) {
        await removeContainer(container);
        throw new SandboxLost(`it could not be started again and was removed: ${message}`, { cause: error });
      }
      await sleep(REFUSED_WAIT_MS);
    }
  }
}

/** Returns when container and anonymous volumes are gone. Throws the engine's errors. */
export async function removeContainer(container: Docker.Container): Promise<void> {
  let id: string | undefined;
  try {
    const { Id, State: state } = await container.inspect();
    id = Id;
    // A task left by a dead engine would keep running and keep the files open.
    if (state.Status === 'created') await endStrayShim(id);
    await untilDead(() => container.remove({ force: true, v: true }));
  } catch (error) {
    if (statusOf(error) === 404) return;
    // Another call is removing it: wait for that.
    if (statusOf(error) !== 409) throw error;
    await untilGone(container, id);
  }
}

/**
 * Waits for a container's end; returns its exit code. Also polls, since dockerode does not report
 * connections that break meanwhile. Throws the engine's errors, and the reason of `signal`.
 */
export async function waitForExit(
  container: Docker.Container,
  signal: AbortSignal,
  lookEveryMs = LOOK_EVERY_MS,
): Promise<number> {
  const returned = new AbortController();
  const waiting = container.wait({ abortSignal: AbortSignal.any([signal, returned.signal]) }) as Promise<{
    StatusCode: number;
  }>;
  waiting.catch(() => undefined);
  try {
    for (;;) {
      const ended = await Promise.race([waiting, sleep(lookEveryMs, null, { signal })]);
      if (ended !== null) return ended.StatusCode;
      const { State: state } = await container.inspect();
      if (ENDED.includes(state.Status)) return state.ExitCode;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    returned.abort();
  }
}

/** A container found by name is also gone once another container has that name. */
async function untilGone(container: Docker.Container, id: string | undefined): Promise<void> {
  const deadline = Date.now() + REMOVAL_LIMIT_MS;
  for (;;) {
    try {
      const { Id: now } = await container.inspect();
      if (id !== undefined && now !== id) return;
    } catch (error) {
      if (statusOf(error) === 404) return;
      throw error;
    }
    if (Date.now() > deadline) throw new Error(`its removal has not finished within ${REMOVAL_LIMIT_MS / 1000} s`);
    await sleep(REFUSED_WAIT_MS);
  }
}

async function untilDead(work: () => Promise<unknown>): Promise<void> {
  for (let refusals = 0; ; refusals++) {
    try {
      await work();
      return;
    } catch (error) {
      if (refusals === MOST_REFUSALS || !STILL_DYING.test((error as Error).message)) throw error;
      await sleep(REFUSED_WAIT_MS);
    }
  }
}
