/** `paused`: full; `silent`: it has missed registrations; `lost`: its runs went to others. */
export type HostState = 'up' | 'paused' | 'drained' | 'silent' | 'lost' | 'removed';

export interface HostRow {
  hostId: string;
  hostname: string | null;
  cpus: number | null;
  memoryMb: number | null;
  gpus: string[];
  /** Of these, the ones that others' processes use. */
  busyGpus: string[];
  backends: string[];
  roles: string[];
  version: string | null;
  state: HostState;
  /** Why it takes no new runs, in its own words. */
  paused: string | null;
  slots: number | null;
  memoryFreeMb: number | null;
  /** What the memory limits of its runs may come to together; null: not counted. */
  memoryForRunsMb: number | null;
  diskTotalMb: number | null;
  diskFreeMb: number | null;
  seenAt: string;
  /** Runs of this host that have not ended. */
  activeRuns: number;
}
