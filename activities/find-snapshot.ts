import type { ArtifactStore } from '../domain/ports/artifact-store.js';
import type { Snapshot, SnapshotLog } from '../domain/ports/record/snapshots.js';
import type { EventLog } from '../domain/ports/record/events.js';

/**
 * The last snapshot at or before a step whose archive is where it should be. One without is forgotten, with an event: then a retry,
 * which must begin in the same way, cannot find it again.
 */
export async function findSnapshot(
  ports: { store: EventLog & SnapshotLog; artifacts: ArtifactStore },
  runId: string,
  step: number,
): Promise<Snapshot | null> {
  const { store, artifacts } = ports;
  for (;;) {
    const found = await store.snapshotAt(runId, step);
    if (found === null || (await artifacts.check(found.artifact)) !== null) return found;
    await dropSnapshot(store, runId, found, `its archive ${found.artifact} is not in the artifact store, or damaged`);
  }
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
    detail: `the snapshot after step ${step} cannot be used: ${why}`.slice(0, 2000),
  });
  await store.forgetSnapshot(runId, snapshot);
}
