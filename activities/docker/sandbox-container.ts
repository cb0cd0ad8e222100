import type Docker from 'dockerode';
import { AGENT_UID, CONTAINER_WORKSPACE } from '../../domain/limits.js';
import type { SandboxRef, SandboxSpec } from '../../domain/ports/sandbox-port.js';

/** Where the control directory appears inside; its parent is root's alone. */
const CONTROL_INSIDE = '/run/bench/control';
const CPU_PERIOD_US = 100_000;

export const HOME_LABEL = 'bench.home';
export const RUN_LABEL = 'bench.run';
export const EPOCH_LABEL = 'bench.epoch';

export const containerName = (homeTag: string, { runId, epoch }: SandboxRef): string =>
  `bench-${homeTag}-${runId}-${epoch}`;

/** The agent's container. Its main process is the durable shell's supervisor, as root with the few rights that it needs. */
export function sandboxContainer(
  spec: SandboxSpec,
  at: { homeTag: string; imageRef: string; control: string },
): Docker.ContainerCreateOptions {
  const memory = spec.limits.memoryMb * 1024 * 1024;
  return {
    name: containerName(at.homeTag, spec),
    Image: at.imageRef,
    Hostname: 'sandbox',
    Cmd: ['--control', CONTROL_INSIDE, '--workspace', CONTAINER_WORKSPACE, '--uid', String(AGENT_UID)],
    User: '0:0',
    Labels: { [HOME_LABEL]: at.homeTag, [RUN_LABEL]: spec.runId, [EPOCH_LABEL]: String(spec.epoch) },
    NetworkDisabled: spec.network === 'none',
    HostConfig: {
      Init: true,
      NetworkMode: spec.network,
      CapDrop: ['ALL'],
      CapAdd: ['SETUID', 'SETGID', 'KILL', 'CHOWN', 'DAC_OVERRIDE'],
      SecurityOpt: ['no-new-privileges'],
      Memory: memory,
      // No swap on top.
      MemorySwap: memory,
      // Counted against the memory; the engine's own 64 MB are too few for data loaders.
      ShmSize: Math.floor(memory / 2),
      // Not NanoCpus: the engine refuses more of those than the machine has, a quota only has no effect then.
      CpuPeriod: CPU_PERIOD_US,
      CpuQuota: Math.round(spec.limits.cpus * CPU_PERIOD_US),
      PidsLimit: spec.limits.pids,
      Mounts: [{ Type: 'bind', Source: at.control, Target: CONTROL_INSIDE }],
      // Only the supervisor's own complaints go there; a single file cannot be compressed.
      LogConfig: { Type: 'local', Config: { 'max-size': '1m', 'max-file': '1', compress: 'false' } },
      ...(spec.gpuDevices.length > 0 && {
        DeviceRequests: [{ Driver: 'nvidia', DeviceIDs: spec.gpuDevices, Capabilities: [['gpu']] }],
      }),
    },
  };
}
