import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { BenchError, InfrastructureError, NoRoom, SandboxLost } from '../../../domain/errors.js';
import type { SandboxSpec } from '../../../domain/ports/sandbox-port.js';
import { recordBeginStep } from '../../shell/begun-after.js';
import { makeControlDirectory } from '../../shell/control-directory.js';
import { stageMemory } from '../../shell/stage-memory.js';
import { requireArchive, stageRestore } from '../../shell/stage-restore.js';
import { hasStarted, stageStarter } from '../../shell/stage-starter.js';
import { removeContainer } from '../container-life.js';
import { nameIsTaken, statusOf } from '../engine-errors.js';
import { markUsed } from '../image-use.js';
import type { BuiltImage } from '../images.js';
import { restoreDisk } from '../kept-disks.js';
import { madeUpFigures } from '../machine-figures.js';
import { allowsNamedHosts, ensureProxy, relayOptions } from '../network-proxy.js';
import { type ContainerPlace, containerName, sandboxContainer } from '../sandbox-container.js';
import { stageIntoContainer } from '../stage-into-container.js';
import { dropDisk, ensureDisk, hasDisk } from '../workspace-disk.js';
import { foldersOf, type SandboxContext } from './context.js';

const NAME_ATTEMPTS = 200;
const DISK_PAUSE_MS = 10 * 60_000;

export interface SandboxImages {
  plain: BuiltImage;
  image: BuiltImage;
}

/** `created`: its files are new. */
export interface CreatedContainer {
  container: Docker.Container;
  created: boolean;
}

/** Creates the sandbox's container, or adopts an earlier start's; it may not be running. */
export async function create(
  context: SandboxContext,
  spec: SandboxSpec,
  images: SandboxImages,
): Promise<CreatedContainer> {
  const { control } = foldersOf(context, spec);
  // Even where it is not shared: list() needs it to find containers removed by others.
  await makeControlDirectory(control, context.backend);
  await recordBeginStep(control, spec.restoredStep ?? 0);
  const at = await preparePlace(context, spec, images);
  if (!context.sharesFiles) {
    const container = await createOrAdopt(context, spec, at);
    return { container, created: await stageIntoContainer(container, spec) };
  }
  await stageMemory(control, spec.memory);
  const { restore } = spec;
  if (restore !== undefined && 'disk' in restore) return await createFromKept(context, spec, at, restore.disk);
  const created =
    restore === undefined
      ? await stageStarter(control, spec.starterDir)
      : await stageRestore(control, requireArchive(restore));
  return { created, container: await createWithDisk(context, spec, at) };
}

async function preparePlace(
  context: SandboxContext,
  spec: SandboxSpec,
  { plain, image }: SandboxImages,
): Promise<ContainerPlace> {
  const { homeTag, sharesFiles, ranksProcesses, extraHosts = [] } = context;
  const { control, gateway } = foldersOf(context, spec);
  const { network, program } = spec;
  const podman = await context.isPodman();
  if (allowsNamedHosts(network))
    await ensureProxy(context, { ...spec, network }, { imageRef: plain.ref, podman, extraHosts });
  if (program !== undefined && !sharesFiles) throw noPrograms();
  if (program !== undefined) await mkdir(gateway, { recursive: true, mode: 0o700 });
  return {
    homeTag,
    imageRef: image.ref,
    podman,
    control: sharesFiles ? control : null,
    disk: null,
    ranksProcesses,
    figures: sharesFiles ? await madeUpFigures(context.layout.figures, spec.limits.memoryMb * 1024 * 1024) : [],
    relay: relayOptions(homeTag, spec, program === undefined ? null : gateway),
  };
}

async function createFromKept(
  context: SandboxContext,
  spec: SandboxSpec,
  at: ContainerPlace,
  name: string,
): Promise<CreatedContainer> {
  const folders = foldersOf(context, spec);
  if (!hasDisk(folders.dir)) await context.room.require(spec.runId, spec.limits.workspaceMb ?? 0);
  const created = await restoreDisk(context.layout.disks, name, folders);
  return { created, container: await createOrAdopt(context, spec, { ...at, disk: folders.dir }) };
}

async function createWithDisk(
  context: SandboxContext,
  spec: SandboxSpec,
  at: ContainerPlace,
): Promise<Docker.Container> {
  const { dir } = foldersOf(context, spec);
  const { workspaceMb } = spec.limits;
  if (!context.makesDisks || workspaceMb === undefined || Date.now() < context.nextDiskAt)
    return await createOrAdopt(context, spec, at);
  try {
    if (!hasDisk(dir)) await context.room.require(spec.runId, workspaceMb);
    await ensureDisk(dir, workspaceMb);
    return await createOrAdopt(context, spec, { ...at, disk: dir });
  } catch (error) {
    if (error instanceof NoRoom) throw error;
    // No free loop device, or an engine that does not see our mounts: this may pass, but not soon.
    if (!(error instanceof InfrastructureError) && !/bind source path|statfs/.test((error as Error).message))
      throw error;
    context.nextDiskAt = Date.now() + DISK_PAUSE_MS;
    context.onWarning?.(
      `run ${spec.runId} gets no disk of its own; its files are watched instead, like those of all runs that start in the next ` +
        `${DISK_PAUSE_MS / 60_000} minutes: ${(error as Error).message}`,
    );
    await dropDisk(dir);
    return await createOrAdopt(context, spec, at);
  }
}

async function createOrAdopt(
  { docker }: SandboxContext,
  spec: SandboxSpec,
  at: ContainerPlace,
): Promise<Docker.Container> {
  const existing = docker.getContainer(containerName(at.homeTag, spec));
  for (let attempt = 1; ; attempt++) {
    try {
      const container = await docker.createContainer(sandboxContainer(spec, at));
      await markUsed(docker, at.imageRef, at.homeTag);
      // An existing container had the files, which are lost with it.
      if (at.disk !== null || at.control === null || !hasStarted(at.control)) return container;
      await removeContainer(container);
      throw new SandboxLost(`the container of run ${spec.runId} is gone, and its files with it`);
    } catch (error) {
      if (!nameIsTaken(error)) throw error;
    }
    try {
      // By id: another container may have the name by the time of removal.
      return docker.getContainer((await existing.inspect()).Id);
    } catch (error) {
      // A creation or removal under way uses the name.
      if (statusOf(error) !== 404 || attempt === NAME_ATTEMPTS) throw error;
      await sleep(50);
    }
  }
}

const noPrograms = (): BenchError =>
  new BenchError(
    'usage',
    "this engine shares no directory with the worker, so that a program's model calls cannot reach it",
    {
      remedy: 'Run agents of the kind program on hosts whose engine is local.',
    },
  );
