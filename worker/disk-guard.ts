import type { Backends } from '../domain/ports/backends.js';
import type { DiskRoom } from '../backends/docker/disk-room.js';
import { abortDisk } from '../backends/docker/workspace-disk.js';
import type { HomeLayout } from '../domain/home/layout.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { SandboxRef } from '../domain/ports/sandbox-port.js';
import type { Logger } from './logger.js';

export interface DiskGuardParts {
  layout: HomeLayout;
  room: DiskRoom;
  backends: Backends;
  store: EventLog;
  /** In MB; below, the largest writer is stopped. */
  lowMb: number;
  log: Pick<Logger, 'warn' | 'debug'>;
}

/** Stops the largest writer as a lost sandbox, which waits for more room. Returns that run. */
export function diskGuard({
  layout,
  room,
  backends,
  store,
  lowMb,
  log,
}: DiskGuardParts): () => Promise<SandboxRef | null> {
  return async () => {
    const found = await room.largestWriter(lowMb);
    if (found === null) return null;
    const { runId, epoch, takenMb, grownMb, freeMb } = found;
    const detail =
      `the home's disk is nearly full, ${freeMb} MB are free: container ${epoch}, whose files take ${takenMb} MB, ${grownMb} MB ` +
      `of them recent, is removed; the run continues in a new one when there is room`;
    log.warn({ runId, freeMb, takenMb, grownMb }, detail);
    // Break the disk at once: its processes may still have much in memory to write.
    await abortDisk(layout.run(runId, epoch).dir);
    for (const { sandbox } of [backends.docker, backends.podman])
      // If the engine is down, the sandbox's next user finds the disk broken and removes it.
      try {
        const theirs = await sandbox.list();
        if (theirs.some((one) => one.runId === runId && one.epoch === epoch)) await sandbox.stop({ runId, epoch });
      } catch (error) {
        log.debug({ runId, error: String(error) }, 'an engine does not answer');
      }
    // PostgreSQL may be out of disk too; the lost sandbox gets another event later.
    await store
      .addEvent({ runId, batchId: null, kind: 'disk_low', key: `writer-${epoch}`, detail })
      .catch((error: unknown) => log.warn({ runId, error: String(error) }, 'could not record which run was stopped'));
    return { runId, epoch };
  };
}
