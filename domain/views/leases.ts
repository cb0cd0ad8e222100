export interface LeaseRow {
  hostId: string;
  device: string;
  runId: string;
  token: number;
  grantedAt: string;
  /** Taken back from its run, but not yet free: its host is to remove the run's containers first. */
  revokedAt: string | null;
  releasedAt: string | null;
}

/** A run that waits for GPUs. */
export interface LeaseWaiter {
  runId: string;
  batchId: string;
  gpus: number;
  waitingSince: string;
}
