import type Docker from 'dockerode';
import { InfrastructureError, SupervisorAway } from '../../../domain/errors.js';
import type { SandboxRef } from '../../../domain/ports/sandbox-port.js';
import { waitForSupervisor } from '../../shell/wait-for-supervisor.js';
import { startContainer } from '../container-life.js';
import { withEngineErrors, unlessStatus } from '../engine-errors.js';
import { thawContainer } from '../freeze-container.js';
import { wakeProxy } from '../network-proxy.js';
import { channelTo, containerOf, type SandboxContext, titleOf } from './context.js';
import { mountIntact, onIntactDisk } from './intact-disk.js';

/** After this long without room for an exec, the container's processes are ended. */
const EXEC_TIMEOUT_MS = 15_000;
const MOST_STARTS = 3;
const MOST_TRIES = 3;

/** Starts the container if it does not run, and waits until its supervisor answers. */
export async function startAndWait(
  context: SandboxContext,
  ref: SandboxRef,
  container: Docker.Container,
): Promise<void> {
  let starts = 0;
  const start = async () => {
    starts++;
    await startContainer(container);
  };
  await wakeProxy(context, ref);
  await mountIntact(context, ref);
  // A worker that died during an evaluation leaves the container frozen.
  await thawContainer(container);
  await start();
  await waitForSupervisor(channelTo(context, ref), titleOf(ref), async (waitedMs) => {
    const { State: state } = await container.inspect();
    if (state.Running) {
      // No room for an exec: the agent's processes fill the container, so end them with it.
      if (!context.sharesFiles && waitedMs > EXEC_TIMEOUT_MS && starts === 1) {
        await container.kill().catch(unlessStatus(409));
        await start();
      }
      return null;
    }
    if (starts === MOST_STARTS)
      return `container of run ${ref.runId} exited at its start with ${state.ExitCode}: ${await lastWords(container)}`;
    // The engine may have missed its end when asked for the start.
    await start();
    return null;
  });
}

export async function withSupervisor<T>(
  context: SandboxContext,
  ref: SandboxRef,
  what: string,
  work: () => Promise<T>,
): Promise<{ found: T; awoken: boolean; outOfMemory: boolean }> {
  const container = containerOf(context, ref);
  let outOfMemory = false;
  for (let attempt = 1; ; attempt++) {
    try {
      const found = await withEngineErrors(`${what} of run ${ref.runId}`, () => onIntactDisk(context, ref, work));
      return { found, awoken: attempt > 1, outOfMemory };
    } catch (error) {
      if (!(error instanceof SupervisorAway)) throw error;
      if (attempt === MOST_TRIES) throw new InfrastructureError(`run ${ref.runId}: ${error.message}`, { cause: error });
      await withEngineErrors(`looking for the container of run ${ref.runId}`, async () => {
        outOfMemory ||= await endedByMemory(container);
        await startAndWait(context, ref, container);
      });
    }
  }
}

/** The kernel killed its main process at the container's memory limit. */
async function endedByMemory(container: Docker.Container): Promise<boolean> {
  const { State: state } = await container.inspect();
  return !state.Running && state.OOMKilled && state.ExitCode === 137;
}

async function lastWords(container: Docker.Container): Promise<string> {
  const log = (await container.logs({ stdout: true, stderr: true, tail: 5 })).toString('utf8');
  // Each line is a frame with a header of eight bytes.
  // oxlint-disable-next-line no-control-regex
  return log.replace(/[\x00-\x09\x0b-\x1f]/g, '').trim() || 'no output';
}
