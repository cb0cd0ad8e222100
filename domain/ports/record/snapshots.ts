/** A run's workspace and shell as they were after some step: as an archive, as a kept disk of one host, or as both. */
export interface Snapshot {
  step: number;
  epoch: number;
  /** SHA-256 of the archive in the artifact store; null: none was made yet. */
  artifact: string | null;
  /** Of the archive. */
  bytes: number | null;
  /** Name of the kept disk, and the host that has it; null: there is none. */
  disk: string | null;
  diskHost: string | null;
}

/** Which snapshots a run has. */
export interface SnapshotLog {
  /**
   * Keep a snapshot's row. A second one of the same step and sandbox changes nothing, nor does one of a sandbox that the run has left,
   * nor one of an attempt after which another has taken over: it may have the effects of later commands.
   * `archiveWanted`: its disk's host is to make an archive of it when it has time.
   */
  saveSnapshot(
    snapshot: Snapshot & { runId: string; reason: string; archiveWanted: boolean; fence?: string | undefined },
  ): Promise<void>;
  /** The last snapshot at or before this step; null: there is none. */
  snapshotAt(runId: string, step: number): Promise<Snapshot | null>;
  /** It can be had no more. */
  forgetSnapshot(runId: string, snapshot: Pick<Snapshot, 'step' | 'epoch'>): Promise<void>;
  /** The disk can be had no more: what has an archive is that alone. */
  forgetDisk(disk: string): Promise<void>;
  /** An archive of this disk is to be made by its host, unless there is one. */
  wantArchive(disk: string): Promise<void>;
  /**
   * Disks of a host whose archives are wanted and not made: those of runs that go on first, and of these the snapshot of the latest step.
   * `wantedMs`: for how long.
   */
  archivesWanted(hostId: string): Promise<{ runId: string; step: number; disk: string; wantedMs: number }[]>;
  /** The archive of a disk: it counts for all snapshots that lie there, forks' included. */
  saveArchive(disk: string, archive: { sha256: string; bytes: number }): Promise<void>;
  /** None can be made: callers that wait for it do without. */
  refuseArchive(disk: string): Promise<void>;
  /** What is on record of the archive of a disk. */
  archiveOf(disk: string): Promise<'made' | 'wanted' | 'refused'>;
}
