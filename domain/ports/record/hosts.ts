export interface TemporalNamespace {
  /** Of the server, unique. */
  id: string;
  /** Name and address, for people. */
  at: string;
}

/** A host's periodic registration, which is its sign of life while it reaches Temporal, too. */
export interface HostRegistration {
  hostId: string;
  hostname: string;
  cpus: number;
  memoryMb: number;
  /** GPU device ids that runs may lease. */
  gpus: string[];
  backends: string[];
  /** Names the home behind the host: another home with the same host id is refused. Absent: not checked. */
  homeId?: string;
  /** Runs that it executes at once. */
  slots?: number;
  /** Cap on the sum of its runs' memory limits, MB; null or absent: none. */
  memoryForRunsMb?: number | null;
  memoryFreeMb?: number;
  diskTotalMb?: number;
  diskFreeMb?: number;
  /** GPUs that processes of others use: not handed out. */
  busyGpus?: string[];
  /** Why it takes no new runs now; null or absent: it does. */
  pauseReason?: string | null;
  roles?: string[];
  version?: string;
  /** The Temporal namespace that it polls; absent: not known. */
  namespace?: TemporalNamespace;
  /** Seconds between registrations; the host counts as lost after LOST_AFTER_BEATS of them were missed. */
  heartbeatSeconds?: number;
  /**
   * It does not reach Temporal: it is given nothing new at once, and this registration is no sign of life. Absent: it does.
   */
  cutOff?: boolean;
  /** When it leaves; null or absent: it stays. */
  leavesAt?: Date | null;
  /** It hands its runs on. */
  leaving?: boolean;
}

/** A run whose sandbox is on a host. `idle`: it plays, and no command of `step`, its last one, is running. */
export interface PlacedRun {
  runId: string;
  epoch: number;
  step: number;
  idle: boolean;
}

/** Beats missed until a host is given nothing new. */
export const SILENT_AFTER_BEATS = 3;

/** Beats missed until its runs go to another host. */
export const LOST_AFTER_BEATS = 6;

/** Hosts: their registrations, and what operators decide about them. Every write may be repeated. */
export interface HostRegistry {
  /**
   * `lost`: its runs were moved meanwhile; remove what is left of them here, in any of these backends, then call hostReturned.
   * `abandoned`: tokens of leases here that runs gave up; the same applies to them, lost or not.
   * `watched`: runs here whose output is watched.
   * Throws BenchError (usage): a live host of another home has this name.
   */
  registerHost(
    host: HostRegistration,
  ): Promise<{ lost: boolean; formerBackends: string[]; abandoned: number[]; watched: string[] }>;
  /**
   * What was left of its former runs is removed: it may execute runs again, and the GPUs of these abandoned leases, read before the
   * removal, are free.
   */
  hostReturned(hostId: string, abandoned: number[]): Promise<void>;
  /** Stop placing runs on this host, or allow it again. Throws BenchError (not_found). */
  drainHost(hostId: string, drained: boolean): Promise<void>;
  /** A host that leaves has nothing left of its runs: they continue elsewhere, its GPUs vanish, and it is removed, with an event. */
  hostLeft(hostId: string, detail: string): Promise<void>;
  placedRuns(hostId: string): Promise<PlacedRun[]>;
  /**
   * The host is gone for good: its runs move to other hosts, its GPUs vanish.
   * Throws BenchError: not_found; usage while it is alive.
   */
  removeHost(hostId: string): Promise<void>;
  /** Which hosts are alive, and which were removed by an operator. */
  hostStates(): Promise<{ live: string[]; removed: string[] }>;
}
