import { rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { InfrastructureError, SandboxLost } from '../../domain/errors.js';
import type { HomeLayout } from '../../domain/home-layout.js';
import { CONTAINER_WORKSPACE } from '../../domain/limits.js';
import type { SandboxInfo, SandboxPort, SandboxRef, SandboxSpec } from '../../domain/ports/sandbox-port.js';
import { controlDirectories, makeControlDirectory } from '../shell/control-directory.js';
import { stageStarter } from '../shell/stage-starter.js';
import { interruptCommand, runCommand, SupervisorAway } from '../shell/shell-client.js';
import { waitForSupervisor } from '../shell/wait-for-supervisor.js';
import { collectFiles } from './collect-files.js';
import { containerName, EPOCH_LABEL, HOME_LABEL, RUN_LABEL, sandboxContainer } from './sandbox-container.js';

const MOST_STARTS = 3;
const NAME_ATTEMPTS = 200;

export interface DockerSandboxOptions {
  docker: Docker;
  /** The agent's image, found or built when the first container is created; see ensureImage. */
  image: () => Promise<{ ref: string; digest: string }>;
  layout: HomeLayout;
  /** Names this home: containers of several homes live side by side. */
  homeTag: string;
}

/** One container per run. Commands go through the durable shell's control directory; the engine is asked only around them. */
export function createDockerSandbox(options: DockerSandboxOptions): SandboxPort {
  const { docker, layout, homeTag } = options;
  const controlOf = ({ runId, epoch }: SandboxRef) => layout.run(runId, epoch).control;
  const containerOf = (ref: SandboxRef) => docker.getContainer(containerName(homeTag, ref));

  /** Start the container if it is not running, and wait until its supervisor answers. */
  async function wake(ref: SandboxRef, container: Docker.Container): Promise<void> {
    let starts = 0;
    const start = async () => {
      starts++;
      await container.start().catch(unlessStatus(304));
    };
    await start();
    await waitForSupervisor(controlOf(ref), async () => {
      const { State: state } = await container.inspect();
      if (state.Running) return null;
      if (starts === MOST_STARTS)
        return `container of run ${ref.runId} ended at its start with ${state.ExitCode}: ${await lastWords(container)}`;
      // The engine may not have noticed yet that it had ended when we asked for the start.
      await start();
      return null;
    });
  }

  return {
    backend: 'docker',
    isolation: 'container',

    start: (spec) =>
      translated(`starting the container of run ${spec.runId}`, async () => {
        const { control } = layout.run(spec.runId, spec.epoch);
        await makeControlDirectory(control, 'docker');
        const created = await stageStarter(control, spec.starterDir);
        const image = await options.image();
        await wake(spec, await createOrAdopt(docker, spec, { homeTag, imageRef: image.ref, control }));
        const info: SandboxInfo = {
          isolation: 'container',
          imageDigest: image.digest,
          workspace: CONTAINER_WORKSPACE,
          created,
        };
        return info;
      }),

    async run(ref, command, signal) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await runCommand(controlOf(ref), command, signal);
        } catch (error) {
          if (!(error instanceof SupervisorAway)) throw error;
          if (attempt === 3) throw new InfrastructureError(`run ${ref.runId}: ${error.message}`, { cause: error });
          await translated(`looking for the container of run ${ref.runId}`, () => wake(ref, containerOf(ref)));
        }
      }
    },

    async interrupt(ref, n) {
      await interruptCommand(controlOf(ref), n).catch((error: unknown) => {
        // Nothing runs in a container that does not.
        if (!(error instanceof SupervisorAway)) throw error;
      });
    },

    collect: (ref, files, maxBytes) =>
      translated(`collecting files of run ${ref.runId}`, () => collectFiles(containerOf(ref), files, maxBytes)),

    stop: (ref) =>
      translated(`removing the container of run ${ref.runId}`, async () => {
        await removeContainer(containerOf(ref));
        const { dir } = layout.run(ref.runId, ref.epoch);
        await rm(dir, { recursive: true, force: true });
        await rmdir(dirname(dir)).catch(() => undefined);
      }),

    list: () =>
      translated('listing containers', async () => {
        const containers = await docker.listContainers({ all: true, filters: { label: [`${HOME_LABEL}=${homeTag}`] } });
        const refs = new Map<string, SandboxRef>();
        // A container that was removed behind our back leaves its control directory, which stop() clears away.
        for (const ref of await controlDirectories(layout, 'docker')) refs.set(containerName(homeTag, ref), ref);
        for (const { Labels: labels } of containers) {
          const runId = labels[RUN_LABEL];
          if (runId === undefined) continue;
          const ref = { runId, epoch: Number(labels[EPOCH_LABEL]) };
          refs.set(containerName(homeTag, ref), ref);
        }
        return [...refs.values()];
      }),
  };
}

async function createOrAdopt(
  docker: Docker,
  spec: SandboxSpec,
  at: { homeTag: string; imageRef: string; control: string },
): Promise<Docker.Container> {
  const existing = docker.getContainer(containerName(at.homeTag, spec));
  for (let attempt = 1; ; attempt++) {
    try {
      return await docker.createContainer(sandboxContainer(spec, at));
    } catch (error) {
      if (statusOf(error) !== 409) throw error;
    }
    try {
      await existing.inspect();
      return existing;
    } catch (error) {
      // The name is taken by a creation, or a removal, that is still under way.
      if (statusOf(error) !== 404 || attempt === NAME_ATTEMPTS) throw error;
      await sleep(50);
    }
  }
}

async function removeContainer(container: Docker.Container): Promise<void> {
  try {
    await container.remove({ force: true, v: true });
  } catch (error) {
    if (statusOf(error) === 404) return;
    // Someone else is removing it: wait for them.
    if (statusOf(error) !== 409) throw error;
    await container.wait({ condition: 'removed' }).catch(unlessStatus(404));
  }
}

async function lastWords(container: Docker.Container): Promise<string> {
  const log = (await container.logs({ stdout: true, stderr: true, tail: 5 })).toString('utf8');
  // Each line comes in a frame of its own, with an eight-byte head.
  // eslint-disable-next-line no-control-regex
  return log.replace(/[\x00-\x09\x0b-\x1f]/g, '').trim() || 'it said nothing';
}

const statusOf = (error: unknown): number | undefined => (error as { statusCode?: number }).statusCode;

const unlessStatus = (status: number) => (error: unknown) => {
  if (statusOf(error) !== status) throw error;
};

/** The engine's errors in our terms: no such container, or soon none, means that the sandbox is lost, all else may pass. */
async function translated<T>(doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InfrastructureError || error instanceof SandboxLost) throw error;
    const message = (error as Error).message;
    if (/no such container|is marked for removal/i.test(message))
      throw new SandboxLost(`${doing}: ${message}`, { cause: error });
    throw new InfrastructureError(`${doing}: ${message}`, { cause: error });
  }
}
