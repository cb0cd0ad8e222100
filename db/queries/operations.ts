export interface EventRow {
  runId: string | null;
  batchId: string | null;
  kind: string;
  key: string;
  detail: string;
  at: string;
}
export interface LeaseRow {
  hostId: string;
  device: string;
  runId: string;
  token: number;
  grantedAt: string;
  releasedAt: string | null;
}
export interface HostRow {
  hostId: string;
  hostname: string | null;
  cpus: number | null;
  memoryMb: number | null;
  gpus: string[];
  backends: string[];
  seenAt: string;
  /** Runs of this host that have not ended. */
  activeRuns: number;
}
