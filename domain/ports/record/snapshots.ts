/** A run's workspace and shell as they were after some step. */
export interface Snapshot {
  step: number;
  epoch: number;
  /** SHA-256 of the archive in the artifact store. */
  artifact: string;
  /** Of the archive. */
  bytes: number;
}

/** Which snapshots a run has. */
export interface SnapshotLog {
  /** Keep a snapshot's row. A second one of the same step and sandbox changes nothing. */
  saveSnapshot(snapshot: Snapshot & { runId: string; reason: string }): Promise<void>;
  /** The last snapshot at or before this step; null: there is none. */
  snapshotAt(runId: string, step: number): Promise<Snapshot | null>;
  /** Its artifact is missing or damaged. */
  forgetSnapshot(runId: string, snapshot: Pick<Snapshot, 'step' | 'epoch'>): Promise<void>;
}
