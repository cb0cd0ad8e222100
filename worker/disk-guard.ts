import type { Backends } from '../domain/ports/backends.js';
import type { DiskRoom } from '../backends/docker/disk-room.js';
import { abortDisk } from '../backends/docker/workspace-disk.js';
import type { HomeLayout } from '../domain/home-layout.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { SandboxRef } from '../domain/ports/sandbox-port.js';
import type { Logger } from './logger.js';

export interface DiskGuardParts {
  layout: HomeLayout;
  room: DiskRoom;
  backends: Backends;
  store: EventLog;
  /** With less free on the home's disk, the largest writer is stopped, MB. */
  lowMb: number;
  log: Pick<Logger, 'warn' | 'debug'>;
}

/**
 * One look at the home's disk: where runs fill it, the largest writer's sandbox is taken away before the others, and the services, are
 * hurt. It counts as lost, not as the agent's doing: nothing of the command that was running is kept, and the run goes on in a new one
 * when there is room for more than it had taken. Returns who was stopped.
 */
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
      `the home's disk is short, ${freeMb} MB are free: container ${epoch} is taken away, whose files took ${takenMb} MB, ${grownMb} MB ` +
      `of them of late; the run goes on in a new one when there is room for more`;
    log.warn({ runId, freeMb, takenMb, grownMb }, detail);
    // At once, whatever the engine does: its processes may have much in memory that would be written at their end.
    await abortDisk(layout.run(runId, epoch).dir);
    for (const { sandbox } of [backends.docker, backends.podman])
      // Where the engine is away, whoever uses the sandbox next finds its disk broken, and removes it.
      try {
        const theirs = await sandbox.list();
        if (theirs.some((one) => one.runId === runId && one.epoch === epoch)) await sandbox.stop({ runId, epoch });
      } catch (error) {
        log.debug({ runId, error: String(error) }, 'an engine does not answer');
      }
    // Postgres may have no room yet: the lost sandbox has an event of its own.
    await store
      .addEvent({ runId, batchId: null, kind: 'disk_short', key: `writer-${epoch}`, detail })
      .catch((error: unknown) => log.warn({ runId, error: String(error) }, 'could not record who was stopped'));
    return { runId, epoch };
  };
}
