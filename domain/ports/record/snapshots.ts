/** A run's workspace and shell after some step: an archive, a kept disk of one host, or both. */
export interface Snapshot {
  step: number;
  epoch: number;
  /** SHA-256 of the archive in the artifact store; null: not made yet. */
  artifact: string | null;
  /** Of the archive. */
  bytes: number | null;
  /** Name of the kept disk on `diskHost`. */
  disk: string | null;
  diskHost: string | null;
}

export interface SnapshotLog {
  /**
   * Ignored if it repeats a step and sandbox, or is of a sandbox that the run has left, or of an
   * attempt that another has replaced: it may have the effects of later commands.
   * `archiveWanted`: the disk's host archives it when it has time.
   */
  saveSnapshot(
    snapshot: Snapshot & { runId: string; reason: string; archiveWanted: boolean; fence?: string | undefined },
  ): Promise<void>;
  /** The last snapshot at or before this step. */
  snapshotAt(runId: string, step: number): Promise<Snapshot | null>;
  /** It is no longer available. */
  forgetSnapshot(runId: string, snapshot: Pick<Snapshot, 'step' | 'epoch'>): Promise<void>;
  /** The disk is no longer available; an archive, if there is one, remains. */
  forgetDisk(disk: string): Promise<void>;
  /** Request an archive of this disk from its host, unless there is one. */
  wantArchive(disk: string): Promise<void>;
  /**
   * Disks of a host that lack requested archives: unfinished runs first, latest step first.
   * `wantedMs`: age of the request.
   */
  archivesWanted(hostId: string): Promise<{ runId: string; step: number; disk: string; wantedMs: number }[]>;
  /** Counts for all snapshots on that disk, forks' included. */
  saveArchive(disk: string, archive: { sha256: string; bytes: number }): Promise<void>;
  /** No archive is possible: waiting callers continue without. */
  refuseArchive(disk: string): Promise<void>;
  archiveOf(disk: string): Promise<'made' | 'wanted' | 'refused'>;
}
