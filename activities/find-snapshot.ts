import { setTimeout as sleep } from 'node:timers/promises';
import type { ArtifactStore } from '../domain/ports/artifact-store.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { HostRegistry } from '../domain/ports/record/hosts.js';
import type { Snapshot, SnapshotLog } from '../domain/ports/record/snapshots.js';
import type { KeptDisks, SandboxRestore } from '../domain/ports/sandbox-port.js';

/** Between looks for an archive that another host makes. */
const LOOK_MS = 1_000;
/** A live host may have many to make. */
const MOST_LOOKS = 1_800;

export interface FindSnapshotPorts {
  store: EventLog & SnapshotLog & Pick<HostRegistry, 'hostStates'>;
  artifacts: ArtifactStore;
  disks: KeptDisks | undefined;
  hostId: string;
}

/**
 * The last usable snapshot at or before a step: a disk of this host, or an archive. Requests those
 * of other hosts, and waits while those are alive. Forgets unusable ones, with an event, so that a
 * retry starts in the same way.
 */
export async function findSnapshot(
  ports: FindSnapshotPorts,
  runId: string,
  step: number,
  signal: AbortSignal,
): Promise<{ snapshot: Snapshot; restore: SandboxRestore } | null> {
  const { store, artifacts, disks, hostId } = ports;
  for (;;) {
    const snapshot = await store.snapshotAt(runId, step);
    if (snapshot === null) return null;
    const { artifact, bytes, disk, diskHost } = snapshot;
    if (disk !== null && diskHost === hostId && (await disks?.has(disk)) === true)
      return { snapshot, restore: { disk } };
    if (artifact !== null && bytes !== null) {
      if ((await artifacts.check(artifact)) !== null)
        return { snapshot, restore: { bytes, open: () => artifacts.open(artifact) } };
      await dropSnapshot(
        store,
        runId,
        snapshot,
        `its archive ${artifact} is missing from the artifact store, or damaged`,
      );
    } else if (disk === null || diskHost === null || diskHost === hostId) {
      await dropSnapshot(store, runId, snapshot, `its disk ${disk} is not on this host any more, or damaged`);
    } else if (!(await archiveMade(store, disk, diskHost, signal)))
      await dropSnapshot(store, runId, snapshot, `host ${diskHost}, which has its disk, does not archive it`);
  }
}

async function archiveMade(
  store: FindSnapshotPorts['store'],
  disk: string,
  diskHost: string,
  signal: AbortSignal,
): Promise<boolean> {
  await store.wantArchive(disk);
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const found = await store.archiveOf(disk);
    if (found !== 'wanted') return found === 'made';
    if (!(await store.hostStates()).live.includes(diskHost)) return false;
    await sleep(LOOK_MS, undefined, { signal });
  }
  return false;
}

export async function dropSnapshot(
  store: EventLog & SnapshotLog,
  runId: string,
  snapshot: Snapshot,
  why: string,
): Promise<void> {
  const { step, epoch } = snapshot;
  await store.addEvent({
    runId,
    batchId: null,
    kind: 'snapshot_missing',
    key: `snapshot-missing-${step}-${epoch}`,
    detail: `the snapshot after step ${step} is unusable: ${why}`.slice(0, 2000),
  });
  await store.forgetSnapshot(runId, snapshot);
}
