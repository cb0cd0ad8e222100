import type { SnapshotLog } from '../../../domain/ports/record/snapshots.js';
import type { Statements } from '../../statements.js';
import { wantArchive, archivesWanted, saveArchive, refuseArchive, archiveOf } from './archives.js';
import { saveSnapshot, snapshotAt, forgetSnapshot, forgetDisk } from './records.js';

export const snapshotStore = (run: Statements): SnapshotLog => ({
  saveSnapshot: (snapshot) => saveSnapshot(run, snapshot),
  snapshotAt: (runId, step) => snapshotAt(run, runId, step),
  forgetSnapshot: (runId, snapshot) => forgetSnapshot(run, runId, snapshot),
  forgetDisk: (disk) => forgetDisk(run, disk),
  wantArchive: (disk) => wantArchive(run, disk),
  archivesWanted: (hostId) => archivesWanted(run, hostId),
  saveArchive: (disk, archive) => saveArchive(run, disk, archive),
  refuseArchive: (disk) => refuseArchive(run, disk),
  archiveOf: (disk) => archiveOf(run, disk),
});
