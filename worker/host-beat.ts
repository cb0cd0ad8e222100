import { statfs } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import type { Backends } from '../domain/ports/backends.js';
import type { Departure } from '../domain/ports/departure.js';
import type { EventKind } from '../domain/run/event-kinds.js';
import type { HostRegistry, TemporalNamespace } from '../domain/ports/record/hosts.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { Leases } from '../domain/ports/record/leases.js';
import type { RunLifecycle } from '../domain/ports/record/run-lifecycle.js';
import type { GpuInventory, GpusNow } from '../backends/gpus/inventory.js';
import { freeMemoryMb } from './free-memory.js';
import type { Logger } from './logger.js';
import { offeredBackends } from './offered-backends.js';
import type { WorkerSettings } from '../operations/home/worker-settings.js';
import { reap } from './reap.js';

/** Below this share of free memory, no new runs are taken. */
const MIN_MEMORY_FREE = 0.05;

export interface HostParts {
  settings: WorkerSettings;
  hostId: string;
  /** Two homes cannot be one host. */
  homeId: string;
  gpus: GpuInventory;
  /** As last seen; the worker polls it. */
  namespace: () => TemporalNamespace;
  store: EventLog &
    Pick<HostRegistry, 'registerHost' | 'hostReturned'> &
    Pick<Leases, 'heldDevices'> &
    Pick<RunLifecycle, 'runStates'>;
  backends: Backends;
  /** Gets the runs that people watch. */
  watched?: (runIds: readonly string[]) => void;
  departure: Pick<Departure, 'begun'>;
  reachesTemporal: () => Promise<boolean>;
  log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
}

/** First removes leftovers of moved runs. Throws BenchError (usage) for another home's host. */
export function hostBeat(parts: HostParts): () => Promise<void> {
  const { settings, hostId, store, backends, log } = parts;
  const everOffered = new Set<string>();
  const tellOfGpus = gpuReporter(parts);
  return async () => {
    const cutOff = !(await parts.reachesTemporal());
    // Leases before processes: a process that ends meanwhile belonged to a run.
    const held = await store.heldDevices(hostId);
    const [offered, gpus, disk] = await Promise.all([
      offeredBackends(settings.engines),
      parts.gpus.now(),
      statfs(settings.layout.home),
    ]);
    const megabytes = (blocks: number): number => Math.floor((blocks * disk.bsize) / 2 ** 20);
    const facts = {
      memoryMb: Math.floor(totalmem() / 2 ** 20),
      memoryFreeMb: await freeMemoryMb(),
      diskTotalMb: megabytes(disk.blocks),
      diskFreeMb: megabytes(disk.bavail),
    };
    const { lost, formerBackends, abandoned, watched } = await store.registerHost({
      ...facts,
      ...{ hostId, homeId: parts.homeId, hostname: settings.hostname, cpus: cpus().length, version: settings.version },
      ...{ slots: settings.slots, memoryForRunsMb: settings.memoryForRunsMb, roles: settings.roles },
      ...{ gpus: gpus.ids, backends: offered, heartbeatSeconds: settings.heartbeatSeconds },
      namespace: parts.namespace(),
      leavesAt: leavesAt(settings),
      leaving: parts.departure.begun,
      cutOff,
      // While GPUs cannot be checked, lease none, not even one returned meanwhile.
      busyGpus: gpus.unknown === null ? gpus.busy.filter((device) => !held.includes(device)) : gpus.busy,
      pauseReason: pauseReason(facts, settings.minDiskFreeMb),
    });
    parts.watched?.(watched);
    await tellOfGpus(gpus);
    for (const backend of [...offered, ...formerBackends]) everOffered.add(backend);
    // A run may give up its lease after the host has returned; its rest is removed too.
    if (!lost && abandoned.length === 0) return;
    // A leaving host removes everything at its end: until then it may hand it on.
    if (parts.departure.begun) return;
    log.warn({ hostId, lost, abandoned }, 'runs moved to other hosts; removing what is left of them here');
    const clear = await reap(store, backends, log);
    const left = [...everOffered].filter((backend) => !clear.some((one) => one === backend));
    // Cut off, it is still lost to its runs, and takes none.
    if (cutOff) return;
    if (left.length === 0) await store.hostReturned(hostId, abandoned);
    else log.warn({ hostId, backends: left }, 'cannot remove what is left of former runs yet');
  };
}

/** Logs when the driver stops or resumes answering; also an event if GPUs are leased. */
function gpuReporter({ hostId, store, log }: HostParts): (gpus: GpusNow) => Promise<void> {
  let reported: { event: boolean } | null = null;
  return async ({ ids, unknown }) => {
    if ((unknown === null) === (reported === null)) return;
    const event = reported === null ? ids.length > 0 : reported.event;
    const [kind, detail]: [EventKind, string] =
      unknown === null
        ? ['gpu_driver_recovered', `nvidia-smi answers again on host ${hostId}: its free GPUs can be leased`]
        : ['gpu_driver_failed', `nvidia-smi fails on host ${hostId}, which leases no GPU until it answers: ${unknown}`];
    if (unknown === null) log.info({ hostId, gpus: ids }, detail);
    else log.error({ hostId, gpus: ids }, detail);
    if (event) {
      const key = `host-gpus-${hostId}-${new Date().toISOString()}`;
      await store.addEvent({ runId: null, batchId: null, kind, key, detail });
    }
    reported = unknown === null ? null : { event };
  };
}

/** Early enough to hand its runs on; null: it stays. */
export const leavesAt = ({ until, graceSeconds }: Pick<WorkerSettings, 'until' | 'graceSeconds'>): Date | null =>
  until === null ? null : new Date(until.getTime() - graceSeconds * 1000);

/** Shown to people; null: new runs are taken. */
export function pauseReason(
  has: { memoryMb: number; memoryFreeMb: number; diskTotalMb: number; diskFreeMb: number },
  minDiskFreeMb: number,
): string | null {
  if (has.diskFreeMb < minDiskFreeMb)
    return `its disk is full: ${has.diskFreeMb} MB are free, less than ${minDiskFreeMb} MB`;
  if (has.memoryFreeMb < has.memoryMb * MIN_MEMORY_FREE)
    return `its memory is full: ${has.memoryFreeMb} of ${has.memoryMb} MB are free`;
  return null;
}
