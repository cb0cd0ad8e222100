import { mostBytes } from '../domain/limits.js';
import type { ArtifactStore } from '../domain/ports/artifact-store.js';
import type { Backends } from '../domain/ports/backends.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { RunDefinitions } from '../domain/ports/record/run-definitions.js';
import type { SnapshotLog } from '../domain/ports/record/snapshots.js';
import type { Logger } from './logger.js';

export interface DiskArchiverParts {
  store: EventLog & SnapshotLog & Pick<RunDefinitions, 'definition'>;
  backends: Backends;
  artifacts: ArtifactStore;
  hostId: string;
  log: Pick<Logger, 'warn' | 'debug'>;
}

/**
 * Make the archives that are wanted of this host's disks, one after the other, while runs go on. Cut off, it begins with that one again.
 * Where none can be made, an event of its run says why, and whoever waits does without.
 */
export function diskArchiver({ store, backends, artifacts, hostId, log }: DiskArchiverParts): () => Promise<void> {
  return async () => {
    for (const { runId, step, disk } of await store.archivesWanted(hostId)) {
      const run = await store.definition(runId);
      const { disks } = backends[run.backend].sandbox;
      try {
        if (disks === undefined || !(await disks.has(disk)))
          throw new Error(`its disk is not on host ${hostId} any more`);
        const limits = { maxBytes: mostBytes(run) };
        await store.saveArchive(
          disk,
          await artifacts.putStream(disks.archive(disk, limits, new AbortController().signal)),
        );
        log.debug({ runId, disk }, 'archived');
      } catch (error) {
        const detail = `no archive of the snapshot after step ${step}: ${(error as Error).message}`.slice(0, 2000);
        log.warn({ runId, disk }, detail);
        await store.addEvent({ runId, batchId: run.batchId, kind: 'snapshot_failed', key: `archive-${disk}`, detail });
        await store.refuseArchive(disk);
      }
    }
  };
}
