import { InfrastructureError } from '../domain/errors.js';
import { mostBytes } from '../domain/run/limits.js';
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

/** Pause after a failed store or engine: an archive may be large. */
const PAUSE_MS = 30_000;
/** A store that is away for longer is not awaited. */
const PATIENCE_MS = 24 * 3_600_000;

export interface DiskArchiver {
  /** Makes the archives wanted, until the store or the engine fails; then pauses. */
  round(): Promise<void>;
  last(): Promise<void>;
}

/**
 * Makes the wanted archives of this host's disks one by one, and resumes after an interruption. On
 * failures they stay wanted, and an event of the run says why. Where none can be made, an event
 * says why, and callers do without.
 */
export function diskArchiver({ store, backends, artifacts, hostId, log }: DiskArchiverParts): DiskArchiver {
  type Wanted = Awaited<ReturnType<typeof store.archivesWanted>>[number];
  let notBefore = 0;
  let leaving = false;
  let running: Promise<void> = Promise.resolve();

  /** False: it is late. */
  async function make({ runId, step, disk, wantedMs }: Wanted): Promise<boolean> {
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
      const late = error instanceof InfrastructureError && wantedMs < PATIENCE_MS;
      const what = late ? 'the archive of the snapshot after step' : 'no archive of the snapshot after step';
      const detail = `${what} ${step}${late ? ' is late; it is retried' : ''}: ${(error as Error).message}`;
      log.warn({ runId, disk }, detail);
      await store.addEvent({
        ...{ runId, batchId: run.batchId, kind: 'snapshot_failed', detail: detail.slice(0, 2000) },
        key: `archive-${late ? 'late-' : ''}${disk}`,
      });
      if (late) return false;
      await store.refuseArchive(disk);
    }
    return true;
  }

  async function round(): Promise<void> {
    if (Date.now() < notBefore) return;
    for (const one of await store.archivesWanted(hostId)) {
      if (leaving) return;
      if (await make(one)) continue;
      notBefore = Date.now() + PAUSE_MS;
      return;
    }
  }

  return {
    round: () => (running = round()),
    async last() {
      leaving = true;
      await running.catch(() => undefined);
      for (const one of await store.archivesWanted(hostId))
        await make(one).catch((error: unknown) =>
          log.warn({ disk: one.disk, error: String(error) }, 'could not archive a snapshot'),
        );
    },
  };
}
