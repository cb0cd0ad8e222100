export interface TemporalNamespace {
  /** Of the server, unique. */
  id: string;
  /** Name and address, for people. */
  at: string;
}

/** A host's periodic registration: its sign of life while it reaches Temporal. */
export interface HostRegistration {
  hostId: string;
  hostname: string;
  cpus: number;
  memoryMb: number;
  /** Device ids that runs may lease. */
  gpus: string[];
  backends: string[];
  /** Another home with the same host id is refused. Absent: not checked. */
  homeId?: string;
  /** Concurrent runs. */
  slots?: number;
  /** Cap on the sum of its runs' memory limits; null or absent: none. */
  memoryForRunsMb?: number | null;
  memoryFreeMb?: number;
  diskTotalMb?: number;
  diskFreeMb?: number;
  /** In use by foreign processes; not leased. */
  busyGpus?: string[];
  /** Why it takes no new runs; null or absent: it does. */
  pauseReason?: string | null;
  roles?: string[];
  version?: string;
  /** That it polls; absent: unknown. */
  namespace?: TemporalNamespace;
  /** Seconds between registrations; lost after LOST_AFTER_BEATS missed ones. */
  heartbeatSeconds?: number;
  /** It does not reach Temporal: it gets nothing new and counts as silent. Absent: false. */
  cutOff?: boolean;
  /** Null or absent: it stays. */
  leavesAt?: Date | null;
  /** It hands its runs on. */
  leaving?: boolean;
}

/** A run whose sandbox is on a host. `idle`: no command of its last `step` is running. */
export interface PlacedRun {
  runId: string;
  epoch: number;
  step: number;
  idle: boolean;
}

/** Missed beats until a host gets nothing new. */
export const SILENT_AFTER_BEATS = 3;

/** Missed beats until its runs move to another host. */
export const LOST_AFTER_BEATS = 6;

/** Hosts: registrations and operators' decisions. Every write may be repeated. */
export interface HostRegistry {
  /**
   * `lost`: its runs were moved; remove their leftovers in all these backends, then call
   * hostReturned. `abandoned`: tokens of leases here that runs gave up; the same applies, lost or
   * not. `watched`: runs here whose output is watched.
   * Throws BenchError (usage): a live host of another home has this name.
   */
  registerHost(
    host: HostRegistration,
  ): Promise<{ lost: boolean; formerBackends: string[]; abandoned: number[]; watched: string[] }>;
  /**
   * Its old runs' leftovers are removed: it may run again. Frees the GPUs of these abandoned
   * leases, which were read before the removal.
   */
  hostReturned(hostId: string, abandoned: number[]): Promise<void>;
  /** Throws BenchError (not_found). */
  drainHost(hostId: string, drained: boolean): Promise<void>;
  /** A leaving host is empty: its runs continue elsewhere, and it is removed, with an event. */
  hostLeft(hostId: string, detail: string): Promise<void>;
  placedRuns(hostId: string): Promise<PlacedRun[]>;
  /** The host is gone for good: its runs move. BenchError: not_found; usage while it is alive. */
  removeHost(hostId: string): Promise<void>;
  /** Live hosts, and those that an operator removed. */
  hostStates(): Promise<{ live: string[]; removed: string[] }>;
}
