import { statfs } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import type { Backends } from '../domain/ports/backends.js';
import type { EventKind } from '../domain/event-kinds.js';
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

/** Below this part of the memory, nothing new is taken. */
const MIN_MEMORY_FREE = 0.05;

export interface HostParts {
  settings: WorkerSettings;
  hostId: string;
  /** Names the home; two homes cannot be one host. */
  homeId: string;
  gpus: GpuInventory;
  /** The one that the worker polls, as it was last seen. */
  namespace: () => TemporalNamespace;
  store: EventLog &
    Pick<HostRegistry, 'registerHost' | 'hostReturned'> &
    Pick<Leases, 'heldDevices'> &
    Pick<RunLifecycle, 'runStates'>;
  backends: Backends;
  log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
}

/**
 * One sign of life: what this host is and has, now. Where its runs were given to others meanwhile, what is left of them is
 * removed first. Throws BenchError (usage) if the host's name belongs to another home.
 */
export function hostBeat(parts: HostParts): () => Promise<void> {
  const { settings, hostId, store, backends, log } = parts;
  const everOffered = new Set<string>();
  const tellOfGpus = gpuReporter(parts);
  return async () => {
    // Who holds what is asked first: a process that ends meanwhile was a run's.
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
    const { lost, formerBackends, abandoned } = await store.registerHost({
      ...facts,
      ...{ hostId, homeId: parts.homeId, hostname: settings.hostname, cpus: cpus().length, version: settings.version },
      ...{ slots: settings.slots, memoryForRunsMb: settings.memoryForRunsMb, roles: settings.roles },
      ...{ gpus: gpus.ids, backends: offered, heartbeatSeconds: settings.heartbeatSeconds },
      namespace: parts.namespace(),
      // Of GPUs that nobody can look at, none is handed on, not even when its holder gives it back before the next beat.
      busyGpus: gpus.unknown === null ? gpus.busy.filter((device) => !held.includes(device)) : gpus.busy,
      paused: pauseReason(facts, settings.minDiskFreeMb),
    });
    await tellOfGpus(gpus);
    for (const backend of [...offered, ...formerBackends]) everOffered.add(backend);
    // A run may give its lease up after the host has come back: what it has left here goes all the same.
    if (!lost && abandoned.length === 0) return;
    log.warn({ hostId, lost, abandoned }, 'runs went on without this host: what is left of them here is removed');
    const clear = await reap(store, backends, log);
    const left = [...everOffered].filter((backend) => !clear.some((one) => one === backend));
    if (left.length === 0) await store.hostReturned(hostId, abandoned);
    else log.warn({ hostId, backends: left }, 'what is left of former runs cannot be removed yet');
  };
}

/** Says once that the driver does not answer, and once that it does again: in the log, and for GPUs that were handed out in an event. */
function gpuReporter({ hostId, store, log }: HostParts): (gpus: GpusNow) => Promise<void> {
  let told: { event: boolean } | null = null;
  return async ({ ids, unknown }) => {
    if ((unknown === null) === (told === null)) return;
    const event = told === null ? ids.length > 0 : told.event;
    const [kind, detail]: [EventKind, string] =
      unknown === null
        ? ['gpus_known', `nvidia-smi answers again on host ${hostId}: its free GPUs are handed out`]
        : ['gpus_unknown', `nvidia-smi fails on host ${hostId}, which hands out no GPU until it answers: ${unknown}`];
    if (unknown === null) log.info({ hostId, gpus: ids }, detail);
    else log.error({ hostId, gpus: ids }, detail);
    if (event) {
      const key = `host-gpus-${hostId}-${new Date().toISOString()}`;
      await store.addEvent({ runId: null, batchId: null, kind, key, detail });
    }
    told = unknown === null ? null : { event };
  };
}

/** Why no new runs are taken, in words for people; null: they are. */
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
