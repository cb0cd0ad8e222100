import { mkdir, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { attributed } from '../../domain/end-cause.js';
import { BenchError, InfrastructureError, NoRoom, SandboxLost } from '../../domain/errors.js';
import type { HomeLayout } from '../../domain/home-layout.js';
import { newRunId } from '../../domain/ids.js';
import { CONTAINER_WORKSPACE } from '../../domain/limits.js';
import type {
  Collected,
  KeptDisks,
  ProgramHost,
  SandboxInfo,
  SandboxPort,
  SandboxRef,
  SandboxSpec,
} from '../../domain/ports/sandbox-port.js';
import { beginsAfter, begunAfter } from '../shell/begun-after.js';
import { type ControlChannel, sharedDirectory } from '../shell/control-channel.js';
import { controlDirectories, makeControlDirectory } from '../shell/control-directory.js';
import { answerProgram, followProgram, SupervisorAway } from '../shell/shell-client.js';
import { stageMemory } from '../shell/stage-memory.js';
import { requireArchive, stageRestore } from '../shell/stage-restore.js';
import { hasStarted, stageStarter } from '../shell/stage-starter.js';
import { waitForSupervisor } from '../shell/wait-for-supervisor.js';
import { collectFiles as collectHere } from '../shell/collect-files.js';
import { collectFiles } from './collect-files.js';
import { collectWhole } from './collect-whole.js';
import { runLiveTests } from './harbor/live-tests.js';
import { removeContainer, startContainer } from './container-life.js';
import { type LayerRequirements, programLayer } from '../../domain/task-requirements.js';
import { thawDisk } from './copy-disk.js';
import type { EngineBackend } from './engine-address.js';
import { nameIsTaken, statusOf, translated, translatedEach, unlessStatus } from './engine-errors.js';
import { execChannel } from './exec-channel.js';
import { freezeContainer, thawContainer } from './freeze-container.js';
import { isPodman as enginesIsPodman } from './engine.js';
import { unenforcedLimits } from './enforced-limits.js';
import type { BuiltImage } from './images.js';
import { allowsNamedHosts, ensureProxy, proxyReports, relayOptions, removeProxy, wakeProxy } from './network-proxy.js';
import { createDiskRoom, type DiskRoom } from './disk-room.js';
import { keepDisk, keptDisk, restoreDisk } from './kept-disks.js';
import { remembered } from './remembered.js';
import { type ContainerPlace, containerName, sandboxContainer } from './sandbox-container.js';
import { markUsed } from './image-use.js';
import { EPOCH_LABEL, HOME_LABEL, RUN_LABEL } from './labels.js';
import { madeUpFigures } from './machine-figures.js';
import { snapshotOf } from './snapshot-container.js';
import { stageIntoContainer } from './stage-into-container.js';
import {
  diskFault,
  disksPossible,
  dropDisk,
  ensureDisk,
  hasDisk,
  mountDisk,
  unmountDisk,
  workspaceOn,
} from './workspace-disk.js';

/** How long an exec may find no room in a running container before its processes are ended. */
const EXEC_PATIENCE_MS = 15_000;
const MOST_STARTS = 3;
const NAME_ATTEMPTS = 200;
const CREATE_ATTEMPTS = 3;
/** The engine cannot grant all rights of root. */
const CAPS_REFUSED = /unable to apply caps/;
/** Pause after a disk could not be made. */
const DISK_PAUSE_MS = 10 * 60_000;

export interface DockerSandboxOptions {
  docker: Docker;
  /** Name recorded with runs; default: docker. */
  backend?: EngineBackend;
  /** False: the engine cannot mount our directories; see EngineAddress. */
  sharesFiles?: boolean;
  /** The agent's image, found or built when the first container is created; see ensureImage. */
  image: () => Promise<BuiltImage>;
  /** That image with a task's packages; see ensureTaskImage. */
  taskImage?: (plain: BuiltImage, layer: LayerRequirements) => Promise<BuiltImage>;
  /** `name:address` that proxies resolve without DNS. */
  extraHosts?: readonly string[];
  /** Gets warnings for people; runs continue. */
  onWarning?: (text: string) => void;
  /** Shared by all sandboxes of the home. */
  room?: DiskRoom | undefined;
  layout: HomeLayout;
  /** Names this home: containers of several homes live side by side. */
  homeTag: string;
}

/** One container per run. Commands go to the durable shell's supervisor, without the engine where it shares our files. */
export function createDockerSandbox(options: DockerSandboxOptions): SandboxPort {
  const { docker, layout, homeTag, backend = 'docker', sharesFiles = true } = options;
  const place = { docker, homeTag };
  const room = options.room ?? createDiskRoom(layout);
  const disksWanted = sharesFiles && disksPossible();
  let nextDiskAt = 0;
  let ranksProcesses = true;
  /** Sandboxes of this process alone, which go with the archive that is made of them; after our death, with what has no run. */
  const archiving = new Set<string>();
  const isPodman = remembered(() => enginesIsPodman(docker));
  const unenforced = remembered(() => unenforcedLimits(docker));
  const controlOf = ({ runId, epoch }: SandboxRef) => layout.run(runId, epoch).control;
  const gatewayOf = ({ runId, epoch }: SandboxRef) => layout.run(runId, epoch).gateway;
  const containerOf = (ref: SandboxRef) => docker.getContainer(containerName(homeTag, ref));
  const nameOf = (ref: SandboxRef) => `the container of run ${ref.runId}`;
  const channelTo = (ref: SandboxRef): ControlChannel =>
    sharesFiles ? sharedDirectory(controlOf(ref)) : execChannel(containerOf(ref), nameOf(ref));

  async function remove(ref: SandboxRef): Promise<void> {
    await removeContainer(containerOf(ref));
    await removeProxy(place, ref, removeContainer);
    const { dir } = layout.run(ref.runId, ref.epoch);
    await unmountDisk(dir);
    await rm(dir, { recursive: true, force: true });
    await rmdir(dirname(dir)).catch(() => undefined);
  }

  /** A result from a broken disk says nothing about the agent, so the sandbox is lost. Throws SandboxLost. */
  async function requireWholeDisk(ref: SandboxRef, before?: { mounted: boolean }): Promise<void> {
    const { dir } = layout.run(ref.runId, ref.epoch);
    await thawDisk(dir);
    const fault = await diskFault(dir, before);
    if (fault === null) return;
    await remove(ref);
    throw new SandboxLost(`the workspace's disk of run ${ref.runId} ${fault}`);
  }

  /** Checks the disk before and after; it must not vanish. Throws SandboxLost. */
  async function onWholeDisk<T>(ref: SandboxRef, work: () => Promise<T>): Promise<T> {
    const mounted = hasDisk(layout.run(ref.runId, ref.epoch).dir);
    await requireWholeDisk(ref);
    const found = await work();
    await requireWholeDisk(ref, { mounted });
    return found;
  }

  async function mountWhole(ref: SandboxRef): Promise<void> {
    const { dir } = layout.run(ref.runId, ref.epoch);
    if (hasDisk(dir)) await mountDisk(dir);
    await requireWholeDisk(ref);
  }

  /** Start the container if it is not running, and wait until its supervisor answers. */
  async function wake(ref: SandboxRef, container: Docker.Container): Promise<void> {
    let starts = 0;
    const start = async () => {
      starts++;
      await startContainer(container);
    };
    await wakeProxy(place, ref);
    await mountWhole(ref);
    // A worker that died during an evaluation leaves it frozen.
    await thawContainer(container);
    await start();
    await waitForSupervisor(channelTo(ref), nameOf(ref), async (waitedMs) => {
      const { State: state } = await container.inspect();
      if (state.Running) {
        // No room for an exec: the agent's processes fill the container, so end them with it.
        if (!sharesFiles && waitedMs > EXEC_PATIENCE_MS && starts === 1) {
          await container.kill().catch(unlessStatus(409));
          await start();
        }
        return null;
      }
      if (starts === MOST_STARTS)
        return `container of run ${ref.runId} exited at its start with ${state.ExitCode}: ${await lastWords(container)}`;
      // The engine may not have noticed its end when we asked for the start.
      await start();
      return null;
    });
  }

  async function create(
    spec: SandboxSpec,
    plain: BuiltImage,
    image: BuiltImage,
  ): Promise<{ container: Docker.Container; created: boolean }> {
    const { control } = layout.run(spec.runId, spec.epoch);
    // Even where it is not shared: list() needs it to find containers removed behind our back.
    await makeControlDirectory(control, backend);
    await beginsAfter(control, spec.restoredStep ?? 0);
    const podman = await isPodman();
    const { network } = spec;
    if (allowsNamedHosts(network)) {
      const { extraHosts = [] } = options;
      await ensureProxy(place, { ...spec, network }, { imageRef: plain.ref, podman, extraHosts });
    }
    const { program } = spec;
    if (program !== undefined && !sharesFiles) throw noPrograms();
    if (program !== undefined) await mkdir(gatewayOf(spec), { recursive: true, mode: 0o700 });
    const relay = relayOptions(homeTag, spec, program === undefined ? null : gatewayOf(spec));
    const figures = sharesFiles ? await madeUpFigures(layout.figures, spec.limits.memoryMb * 1024 * 1024) : [];
    const at = {
      homeTag,
      imageRef: image.ref,
      podman,
      control: sharesFiles ? control : null,
      disk: null,
      ranksProcesses,
      figures,
      relay,
    };
    const { restore } = spec;
    if (sharesFiles) {
      await stageMemory(control, spec.memory);
      if (restore !== undefined && 'disk' in restore) return await createFromKept(spec, at, restore.disk);
      const created =
        restore === undefined
          ? await stageStarter(control, spec.starterDir)
          : await stageRestore(control, requireArchive(restore));
      return { created, container: await createWithDisk(spec, at) };
    }
    const container = await createOrAdopt(docker, spec, at);
    return { container, created: await stageIntoContainer(container, spec) };
  }

  /** Whether its files are new. Another start of the same sandbox may remove a container that never ran: then it is created again. */
  async function createAwake(spec: SandboxSpec, plain: BuiltImage, image: BuiltImage): Promise<boolean> {
    let created = false;
    for (let attempt = 1; ; attempt++) {
      const made = await create(spec, plain, image);
      created ||= made.created;
      try {
        await wake(spec, made.container);
        return created;
      } catch (error) {
        const refused = CAPS_REFUSED.test((error as Error).message);
        if (attempt === CREATE_ATTEMPTS || (!refused && statusOf(error) !== 404)) throw error;
        if (!refused) continue;
        if (ranksProcesses)
          options.onWarning?.(
            'the engine cannot grant CAP_SYS_RESOURCE: where the kernel has no Landlock either, an agent that runs out of memory may lose the running command',
          );
        ranksProcesses = false;
        await removeContainer(made.container);
      }
    }
  }

  async function createFromKept(spec: SandboxSpec, at: ContainerPlace, name: string) {
    const place = layout.run(spec.runId, spec.epoch);
    if (!hasDisk(place.dir)) await room.require(spec.runId, spec.limits.workspaceMb ?? 0);
    const created = await restoreDisk(layout.disks, name, place);
    return { created, container: await createOrAdopt(docker, spec, { ...at, disk: place.dir }) };
  }

  /** With a disk for the agent's files where that is possible here. */
  async function createWithDisk(spec: SandboxSpec, at: ContainerPlace): Promise<Docker.Container> {
    const { dir } = layout.run(spec.runId, spec.epoch);
    const { workspaceMb } = spec.limits;
    if (!disksWanted || workspaceMb === undefined || Date.now() < nextDiskAt)
      return await createOrAdopt(docker, spec, at);
    try {
      if (!hasDisk(dir)) await room.require(spec.runId, workspaceMb);
      await ensureDisk(dir, workspaceMb);
      return await createOrAdopt(docker, spec, { ...at, disk: dir });
    } catch (error) {
      if (error instanceof NoRoom) throw error;
      // No free loop device, or an engine that does not see our mounts. This may pass, but not at once.
      if (!(error instanceof InfrastructureError) && !/bind source path|statfs/.test((error as Error).message))
        throw error;
      nextDiskAt = Date.now() + DISK_PAUSE_MS;
      options.onWarning?.(
        `run ${spec.runId} gets no disk of its own; its files are watched instead, like those of all runs that start in the next ` +
          `${DISK_PAUSE_MS / 60_000} minutes: ${(error as Error).message}`,
      );
      await dropDisk(dir);
      return await createOrAdopt(docker, spec, at);
    }
  }

  /** What the supervisor says; a container that has stopped is started again. */
  async function awake<T>(
    ref: SandboxRef,
    what: string,
    work: () => Promise<T>,
  ): Promise<{ found: T; awoken: boolean; outOfMemory: boolean }> {
    let outOfMemory = false;
    for (let attempt = 1; ; attempt++) {
      try {
        const found = await translated(`${what} of run ${ref.runId}`, () => onWholeDisk(ref, work));
        return { found, awoken: attempt > 1, outOfMemory };
      } catch (error) {
        if (!(error instanceof SupervisorAway)) throw error;
        if (attempt === 3) throw new InfrastructureError(`run ${ref.runId}: ${error.message}`, { cause: error });
        await translated(`looking for the container of run ${ref.runId}`, async () => {
          outOfMemory ||= await endedByMemory(containerOf(ref));
          await wake(ref, containerOf(ref));
        });
      }
    }
  }

  async function* snapshotOfWhole(ref: SandboxRef, limits: { maxBytes: number }, signal: AbortSignal) {
    const mounted = hasDisk(layout.run(ref.runId, ref.epoch).dir);
    await requireWholeDisk(ref);
    try {
      yield* snapshotOf(containerOf(ref), limits, signal);
    } finally {
      await requireWholeDisk(ref, { mounted });
    }
  }

  /** Needs a running container with room for a process. A frozen one is thawed and frozen again. */
  async function collectInside(
    ref: SandboxRef,
    collect: (container: Docker.Container) => Promise<Collected>,
  ): Promise<Collected> {
    const container = containerOf(ref);
    const { Paused: frozen } = (await container.inspect()).State;
    try {
      for (let attempt = 1; ; attempt++) {
        await wake(ref, container);
        try {
          return await collect(container);
        } catch (error) {
          if (attempt === 3) throw error;
          // The agent's leftover processes fill the container. Restarting ends them; the files stay.
          if (attempt === 2) await container.kill().catch(unlessStatus(409));
        }
      }
    } finally {
      if (frozen) await freezeContainer(container);
    }
  }

  /** Of a sandbox that is started from it and runs nothing. */
  async function* archiveOf(name: string, limits: { maxBytes: number }, signal: AbortSignal) {
    const ref = { runId: newRunId(), epoch: 1 };
    const made = containerName(homeTag, ref);
    archiving.add(made);
    try {
      const plain = await options.image();
      const spec: SandboxSpec = {
        ...{ ...ref, starterDir: '', restore: { disk: name }, network: 'none', gpuDevices: [] },
        limits: { memoryMb: 512, cpus: 1, pids: 64 },
      };
      const { container } = await create(spec, plain, plain);
      await wake(spec, container);
      yield* snapshotOfWhole(ref, limits, signal);
    } finally {
      await remove(ref);
      archiving.delete(made);
    }
  }

  const disks: KeptDisks = {
    keep: (ref, name, limits) =>
      translated(`keeping the disk of run ${ref.runId}`, async () => {
        const place = layout.run(ref.runId, ref.epoch);
        if (!hasDisk(place.dir)) return null;
        // Without its container it is a sandbox's no more.
        await containerOf(ref).inspect();
        await mountWhole(ref);
        return await onWholeDisk(ref, () => keepDisk(layout.disks, name, place, limits));
      }),
    has: async (name) => (await keptDisk(layout.disks, name)) !== null,
    archive: (name, limits, signal) => translatedEach(`the archive of ${name}`, archiveOf(name, limits, signal)),
  };

  const interrupt = (ref: SandboxRef, n: number): Promise<void> =>
    translated(`interrupting command ${n} of run ${ref.runId}`, () => channelTo(ref).interrupt(n)).catch(
      (error: unknown) => {
        // A stopped container runs nothing.
        if (!(error instanceof SupervisorAway) && !(error instanceof SandboxLost)) throw error;
      },
    );

  const programs: ProgramHost = {
    async run(ref, command, signal) {
      const control = controlOf(ref);
      return (await awake(ref, 'the program', () => followProgram(control, command, signal))).found;
    },
    async answer(ref, number, text) {
      await translated(`answering the program of run ${ref.runId}`, () =>
        answerProgram(controlOf(ref), number, text),
      ).catch((error: unknown) => {
        if (!(error instanceof SupervisorAway) && !(error instanceof SandboxLost)) throw error;
      });
    },
    interrupt,
    gatewayFolder: gatewayOf,
  };

  return {
    backend,
    isolation: 'container',

    start: (spec) =>
      translated(`starting the container of run ${spec.runId}`, async () => {
        const { plain, image } = await attributed('image', async () => {
          const bare = await options.image();
          const ofTask = await withLayer(options, bare, spec.layer ?? null);
          const program = spec.program === undefined ? null : programLayer(spec.program);
          return { plain: bare, image: await withLayer(options, ofTask, program) };
        });
        const created = await createAwake(spec, plain, image);
        const info: SandboxInfo = {
          isolation: 'container',
          imageDigest: image.digest,
          workspace: CONTAINER_WORKSPACE,
          created,
          workspaceLimit: hasDisk(layout.run(spec.runId, spec.epoch).dir)
            ? 'file_system'
            : spec.limits.workspaceMb === undefined
              ? null
              : 'watched',
          unenforcedLimits: await unenforced(),
        };
        return info;
      }),

    begunAfter: (ref) => begunAfter(controlOf(ref)),

    async run(ref, command, signal) {
      const { found, awoken, outOfMemory } = await awake(ref, `command ${command.n}`, () =>
        channelTo(ref).run(command, signal),
      );
      if (!awoken) return found;
      return { ...found, restarted: true, ...(outOfMemory && { memoryKills: 1 + (found.memoryKills ?? 0) }) };
    },

    interrupt,

    async printed(ref, n) {
      try {
        return await translated(`asking what run ${ref.runId} prints`, () => channelTo(ref).printed(n));
      } catch (error) {
        if (error instanceof SupervisorAway || error instanceof SandboxLost) return '';
        throw error;
      }
    },

    collect: (ref, files, maxBytes, more) =>
      translated(`collecting files of run ${ref.runId}`, async () => {
        // After a reboot the disk is not mounted, and files would seem missing.
        await mountWhole(ref);
        const { live, whole } = more ?? {};
        if (live !== undefined) {
          // Not restarted when something fails: its processes are what is tested.
          const container = containerOf(ref);
          await wake(ref, container);
          return await onWholeDisk(ref, () => runLiveTests(container, live));
        }
        if (whole !== undefined)
          return await onWholeDisk(ref, () =>
            collectInside(ref, (container) => collectWhole(container, maxBytes, whole)),
          );
        const workspace = workspaceOn(layout.run(ref.runId, ref.epoch).dir);
        return await onWholeDisk(ref, () =>
          workspace === null
            ? collectInside(ref, (container) => collectFiles(container, files, maxBytes, more))
            : collectHere(workspace, files, maxBytes, null, more),
        );
      }),

    snapshot: (ref, limits, signal) =>
      translatedEach(`the snapshot of run ${ref.runId}`, snapshotOfWhole(ref, limits, signal)),

    ...(disksWanted && { disks }),
    ...(sharesFiles && { programs }),

    freeze: (ref) =>
      translated(`freezing the container of run ${ref.runId}`, () => freezeContainer(containerOf(ref))).catch(
        // A missing container runs nothing.
        (error: unknown) => error instanceof SandboxLost || Promise.reject(error as Error),
      ),

    thaw: (ref) =>
      translated(`thawing the container of run ${ref.runId}`, () => thawContainer(containerOf(ref))).catch(
        (error: unknown) => {
          if (!(error instanceof SandboxLost)) throw error;
        },
      ),

    networkRequests: (ref, how) =>
      translated(`reading the network record of run ${ref.runId}`, () => proxyReports(place, ref, how)),

    stop: (ref) => translated(`removing the container of run ${ref.runId}`, () => remove(ref)),

    list: () =>
      translated('listing containers', async () => {
        const containers = await docker.listContainers({ all: true, filters: { label: [`${HOME_LABEL}=${homeTag}`] } });
        const refs = new Map<string, SandboxRef>();
        // A container removed behind our back leaves its control directory, which stop() removes.
        for (const ref of await controlDirectories(layout, backend)) refs.set(containerName(homeTag, ref), ref);
        for (const { Labels: labels } of containers) {
          const runId = labels[RUN_LABEL];
          if (runId === undefined) continue;
          const ref = { runId, epoch: Number(labels[EPOCH_LABEL]) };
          refs.set(containerName(homeTag, ref), ref);
        }
        return [...refs].flatMap(([name, ref]) => (archiving.has(name) ? [] : [ref]));
      }),
  };
}

/** Its main process was killed because the container had reached its memory limit. */
async function endedByMemory(container: Docker.Container): Promise<boolean> {
  const { State: state } = await container.inspect();
  return !state.Running && state.OOMKilled && state.ExitCode === 137;
}

const noPrograms = (): BenchError =>
  new BenchError(
    'usage',
    "this engine shares no directory with the worker, so that a program's model calls cannot reach it",
    {
      remedy: 'Run agents of the kind program on hosts whose engine is local.',
    },
  );

/** Faults in the task's packages are not the engine's. */
async function withLayer(
  { taskImage }: DockerSandboxOptions,
  plain: BuiltImage,
  layer: LayerRequirements | null,
): Promise<BuiltImage> {
  if (layer === null) return plain;
  if (taskImage === undefined)
    throw new InfrastructureError(`no image with the packages of task ${layer.taskId} can be built here`);
  return await taskImage(plain, layer);
}

async function createOrAdopt(docker: Docker, spec: SandboxSpec, at: ContainerPlace): Promise<Docker.Container> {
  const existing = docker.getContainer(containerName(at.homeTag, spec));
  for (let attempt = 1; ; attempt++) {
    try {
      const container = await docker.createContainer(sandboxContainer(spec, at));
      await markUsed(docker, at.imageRef, at.homeTag);
      // One that stood before had the files, and is gone with them.
      if (at.disk !== null || at.control === null || !hasStarted(at.control)) return container;
      await removeContainer(container);
      throw new SandboxLost(`the container of run ${spec.runId} is gone, and its files with it`);
    } catch (error) {
      if (!nameIsTaken(error)) throw error;
    }
    try {
      // By its id: the name may be another's by the time that it is removed.
      return docker.getContainer((await existing.inspect()).Id);
    } catch (error) {
      // The name is in use by a creation or removal still under way.
      if (statusOf(error) !== 404 || attempt === NAME_ATTEMPTS) throw error;
      await sleep(50);
    }
  }
}

async function lastWords(container: Docker.Container): Promise<string> {
  const log = (await container.logs({ stdout: true, stderr: true, tail: 5 })).toString('utf8');
  // Each line is a frame with a header of eight bytes.
  // oxlint-disable-next-line no-control-regex
  return log.replace(/[\x00-\x09\x0b-\x1f]/g, '').trim() || 'no output';
}
