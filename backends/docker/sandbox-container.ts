import { PODMAN_ULIMITS } from './engine.js';
import type Docker from 'dockerode';
import { AGENT_UID, CONTAINER_WORKSPACE } from '../../domain/run/limits.js';
import type { SandboxRef, SandboxSpec } from '../../domain/ports/sandbox-port.js';
import { standsOnOthers } from './disk-stack.js';
import { gpuEnvironment, gpuRequests } from './gpu-devices.js';
import { EPOCH_LABEL, HOME_LABEL, RUN_LABEL } from './labels.js';
import { hiddenFigures } from './machine-figures.js';
import { diskMounts } from './workspace-disk.js';

/** The control directory inside; only root may enter its parent. */
export const CONTROL_INSIDE = '/run/bench/control';
const CPU_PERIOD_US = 100_000;

export const containerName = (homeTag: string, { runId, epoch }: SandboxRef): string =>
  `bench-${homeTag}-${runId}-${epoch}`;

const CAPABILITIES = ['SETUID', 'SETGID', 'KILL', 'CHOWN', 'DAC_OVERRIDE'];

export interface ContainerPlace {
  homeTag: string;
  imageRef: string;
  podman: boolean;
  /** Control directory to mount; null: the engine cannot, so the container gets a volume. */
  control: string | null;
  /** Directory with the disk for the agent's files; null: they lie in the container. */
  disk: string | null;
  /** The supervisor may lower OOM scores; an engine inside a container may not grant that. */
  ranksProcesses: boolean;
  /** See madeUpFigures; empty: the engine cannot mount our files. */
  figures: Docker.MountSettings[];
  relay: { Env: string[]; Entrypoint: string[]; mounts: Docker.MountSettings[] } | null;
}

/** The agent's container. Its main process is the supervisor, as root with few capabilities. */
export function sandboxContainer(spec: SandboxSpec, at: ContainerPlace): Docker.ContainerCreateOptions {
  const { workspaceMb } = spec.limits;
  const memory = spec.limits.memoryMb * 1024 * 1024;
  const labels = { [HOME_LABEL]: at.homeTag, [RUN_LABEL]: spec.runId, [EPOCH_LABEL]: String(spec.epoch) };
  return {
    name: containerName(at.homeTag, spec),
    Image: at.imageRef,
    Hostname: 'sandbox',
    Cmd: [
      ...['--control', CONTROL_INSIDE, '--workspace', CONTAINER_WORKSPACE, '--uid', String(AGENT_UID)],
      // A disk of that size needs no watch; on a stacked one the size limits only the changes.
      ...((at.disk === null || standsOnOthers(at.disk)) && workspaceMb !== undefined
        ? ['--workspace-limit-mb', String(workspaceMb)]
        : []),
      ...(spec.gpuDevices.length > 0 ? ['--gpus'] : []),
    ],
    User: '0:0',
    // Not the workspace: if the agent replaced it, the container could not restart.
    WorkingDir: '/',
    // Added to the image's own; the supervisor passes it to the agent's shells.
    Env: [
      ...Object.entries(spec.environment ?? {}).map(([name, value]) => `${name}=${value}`),
      ...(at.relay?.Env ?? []),
      ...gpuEnvironment(spec.gpuDevices),
    ],
    ...(at.relay !== null && { Entrypoint: at.relay.Entrypoint }),
    Labels: labels,
    NetworkDisabled: spec.network !== 'open',
    HostConfig: {
      // Podman's init needs a program that Debian lacks; the supervisor reaps orphans anyway.
      Init: !at.podman,
      // `private` is a rootless podman's own network, which needs no plugins; as root its bridge.
      NetworkMode: spec.network === 'open' ? (at.podman ? 'private' : 'bridge') : 'none',
      CapDrop: ['ALL'],
      CapAdd: [...CAPABILITIES, ...(at.ranksProcesses ? ['SYS_RESOURCE'] : [])],
      ...hiddenFigures(at.podman, ['no-new-privileges']),
      Memory: memory,
      // No swap.
      MemorySwap: memory,
      // Counts as memory; the engine's default of 64 MB is too small for data loaders.
      ShmSize: Math.floor(memory / 2),
      // Not NanoCpus, which engines refuse above the machine's CPUs; a larger quota has no effect.
      CpuPeriod: CPU_PERIOD_US,
      CpuQuota: Math.round(spec.limits.cpus * CPU_PERIOD_US),
      PidsLimit: spec.limits.pids,
      Mounts: [
        controlMount(at.control, labels),
        ...at.figures,
        ...(at.disk === null ? [] : diskMounts(at.disk)),
        ...(at.relay?.mounts ?? []),
      ],
      // World-writable too, and not on the disk.
      ...(at.disk !== null && { Tmpfs: { '/run/lock': 'size=1m,mode=1777,nosuid,nodev,noexec' } }),
      // Only the supervisor's own errors go there; a single file cannot be compressed.
      LogConfig: at.podman
        ? { Type: 'k8s-file', Config: { 'max-size': '1m' } }
        : { Type: 'local', Config: { 'max-size': '1m', 'max-file': '1', compress: 'false' } },
      ...(at.podman && { Ulimits: PODMAN_ULIMITS }),
      ...gpuRequests(spec.gpuDevices),
    },
  };
}

const controlMount = (control: string | null, labels: Record<string, string>): Docker.MountSettings =>
  control === null
    ? // Anonymous: removed with the container.
      {
        Type: 'volume',
        Source: '',
        Target: CONTROL_INSIDE,
        VolumeOptions: { NoCopy: true, Labels: labels, DriverConfig: { Name: 'local', Options: {} } },
      }
    : { Type: 'bind', Source: control, Target: CONTROL_INSIDE };
