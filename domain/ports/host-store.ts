export interface TemporalNamespace {
  /** Of the server, unique. */
  id: string;
  /** Name and address, for people. */
  at: string;
}

/** What a host says of itself, again and again: this is its sign of life. */
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
  /** Runs that it bears at once. */
  slots?: number;
  /** What the memory limits of its runs may come to together, MB; null or absent: not counted. */
  memoryForRunsMb?: number | null;
  memoryFreeMb?: number;
  diskTotalMb?: number;
  diskFreeMb?: number;
  /** GPUs that processes of others use: not handed out. */
  busyGpus?: string[];
  /** Why it takes no new runs now; null or absent: it does. */
  paused?: string | null;
  roles?: string[];
  version?: string;
  /** The Temporal namespace that it polls; absent: not known. */
  namespace?: TemporalNamespace;
  /** Seconds between registrations; the host counts as lost after LOST_AFTER_BEATS of them were missed. */
  heartbeatSeconds?: number;
}

/** Beats missed until a host is given nothing new. */
export const SILENT_AFTER_BEATS = 3;
/** Beats missed until its runs go to another host. */
export const LOST_AFTER_BEATS = 6;

export interface GpuHost {
  hostId: string;
  /** Free or held, but none that others use. */
  devices: string[];
  backends: string[];
}

export interface LeaseRecord {
  runId: string;
  token: number;
  hostId: string;
  devices: string[];
}

/** One that was never given back. */
export interface OpenLease extends LeaseRecord {
  /** The run may not use it any more. */
  revoked: boolean;
  /** The run went on without it: nobody has its GPUs until the host says that nothing of the run is left there. */
  abandoned: boolean;
}

export type Placement =
  /** `epoch`: at least the one that was asked for; a run that was further by its row goes on from there. */
  { kind: 'placed'; hostId: string; epoch: number } | { kind: 'none'; reason: string };

/** Machines, which of them bears which run, and who holds their GPUs. Every write may be repeated. */
export interface HostStore {
  /**
   * `lost`: its runs were given to others meanwhile; what is left of them here, in any of these backends, must go, then hostReturned.
   * `abandoned`: tokens of leases here that runs gave up; the same holds for them, lost or not.
   * Throws BenchError (usage): a live host of another home has this name.
   */
  registerHost(host: HostRegistration): Promise<{ lost: boolean; formerBackends: string[]; abandoned: number[] }>;
  /**
   * The remains of its former runs are gone: it may bear runs again, and the GPUs of these abandoned leases, known before the
   * remains were looked for, are free.
   */
  hostReturned(hostId: string, abandoned: number[]): Promise<void>;
  /** May a host with this name be given runs again, or not. Throws BenchError (not_found). */
  drainHost(hostId: string, drained: boolean): Promise<void>;
  /**
   * The host is gone for good: its runs go to others, its GPUs are nobody's.
   * Throws BenchError: not_found; usage while it is alive.
   */
  removeHost(hostId: string): Promise<void>;

  /**
   * Choose the host that bears the run from this epoch on, and write it on the run's row; with `hostId` (a lease names it) that
   * one, unless it is heard and takes nothing new. Atomic over all workers. Without a host the run's status says that it waits. Placing an epoch again gives the same host.
   */
  placeRun(args: { runId: string; epoch: number; hostId?: string }): Promise<Placement>;
  /** The sandbox of this epoch is about to be made here. False: the run is elsewhere or further by now. */
  beginEpoch(runId: string, epoch: number, hostId: string): Promise<boolean>;
  /**
   * Is the host lost to this run? Only if it has missed its registrations while another was heard that could take the run;
   * or if an operator removed it. Says so in an event, once.
   */
  judgeHost(args: { runId: string; hostId: string; epoch: number }): Promise<'keep' | 'lost'>;

  /** Hosts that may hand out GPUs now: alive, not drained, not paused, not lost. */
  gpuHosts(): Promise<GpuHost[]>;
  /** Which hosts are heard, and which were removed by an operator. */
  hostStates(): Promise<{ live: string[]; removed: string[] }>;
  /** Leases that were never given back, and the next token that was never used. */
  openLeases(): Promise<{ leases: OpenLease[]; nextToken: number }>;
  /** GPUs of this host that runs hold. */
  heldDevices(hostId: string): Promise<string[]>;
  /**
   * A lease that the run was granted; a Postgres constraint refuses a GPU that is held. False: the lease was taken back
   * before, and is void.
   */
  recordLease(lease: LeaseRecord): Promise<boolean>;
  /** May the run use it? */
  leaseValid(runId: string, token: number): Promise<boolean>;
  /** From now on the run may not use it; its GPUs stay taken until releaseLease. Also for a lease that was never recorded. */
  revokeLease(lease: LeaseRecord): Promise<void>;
  /**
   * The host is lost to the run: as revokeLease, and the run is on no host, its epoch one higher, so that whatever is left of it
   * there is of the past.
   */
  abandonLease(lease: LeaseRecord): Promise<void>;
  releaseLease(runId: string, token: number): Promise<void>;
  /** Of these tokens, those that were not given back. */
  unreleased(tokens: number[]): Promise<number[]>;
}
