import type Docker from 'dockerode';
import type { HomeLayout } from '../../../domain/home/layout.js';
import type { SandboxRef } from '../../../domain/ports/sandbox-port.js';
import type { LayerRequirements } from '../../../domain/task/requirements.js';
import { type ControlChannel, sharedDirectory } from '../../shell/control-channel.js';
import { createDiskRoom, type DiskRoom } from '../disk-room.js';
import { unenforcedLimits } from '../enforced-limits.js';
import type { EngineBackend } from '../engine-address.js';
import { isPodman } from '../engine.js';
import { execChannel } from '../exec-channel.js';
import type { BuiltImage } from '../images.js';
import { once } from '../../../domain/once.js';
import { containerName } from '../sandbox-container.js';
import { disksPossible } from '../workspace-disk.js';

export interface DockerSandboxOptions {
  docker: Docker;
  /** Name recorded with runs; default: docker. */
  backend?: EngineBackend;
  /** False: the engine cannot mount our directories; see EngineAddress. */
  sharesFiles?: boolean;
  /** The agent's image, built if needed when the first container is created; see ensureImage. */
  image: () => Promise<BuiltImage>;
  taskImage?: (plain: BuiltImage, layer: LayerRequirements) => Promise<BuiltImage>;
  /** `name:address` pairs that proxies resolve without DNS. */
  extraHosts?: readonly string[];
  /** Warnings for people; runs continue. */
  onWarning?: (text: string) => void;
  room?: DiskRoom | undefined;
  layout: HomeLayout;
  /** Identifies this home: containers of several homes share an engine. */
  homeTag: string;
}

export interface SandboxContext extends DockerSandboxOptions {
  backend: EngineBackend;
  sharesFiles: boolean;
  room: DiskRoom;
  makesDisks: boolean;
  /** No disks before this time, since the last could not be made. */
  nextDiskAt: number;
  /** False: the engine cannot grant the right to choose the kernel's first OOM victim. */
  ranksProcesses: boolean;
  /** Containers that exist only to be archived; after a crash, leftovers without a run. */
  archiving: Set<string>;
  isPodman: () => ReturnType<typeof isPodman>;
  unenforced: () => ReturnType<typeof unenforcedLimits>;
}

export function sandboxContext(options: DockerSandboxOptions): SandboxContext {
  const { docker, layout, backend = 'docker', sharesFiles = true, room = createDiskRoom(layout) } = options;
  return {
    ...options,
    backend,
    sharesFiles,
    room,
    makesDisks: sharesFiles && disksPossible(),
    nextDiskAt: 0,
    ranksProcesses: true,
    archiving: new Set(),
    isPodman: once(() => isPodman(docker)),
    unenforced: once(() => unenforcedLimits(docker)),
  };
}

export const foldersOf = ({ layout }: SandboxContext, { runId, epoch }: SandboxRef) => layout.run(runId, epoch);

export const containerOf = ({ docker, homeTag }: SandboxContext, ref: SandboxRef): Docker.Container =>
  docker.getContainer(containerName(homeTag, ref));

export const titleOf = (ref: SandboxRef): string => `the container of run ${ref.runId}`;

export const channelTo = (context: SandboxContext, ref: SandboxRef): ControlChannel =>
  context.sharesFiles
    ? sharedDirectory(foldersOf(context, ref).control)
    : execChannel(containerOf(context, ref), titleOf(ref));
