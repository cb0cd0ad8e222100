export interface GpuHost {
  hostId: string;
  /** Free or held, but none that others use. */
  devices: string[];
  backends: string[];
  /** When it leaves, epoch milliseconds; null or absent: it stays. */
  endsAt?: number | null;
}

export interface LeaseRecord {
  runId: string;
  token: number;
  hostId: string;
  devices: string[];
}

/** A lease that was never returned. */
export interface OpenLease extends LeaseRecord {
  /** The run may not use it any more. */
  revoked: boolean;
  /** The run moved on without it: its GPUs are not leased until the host confirms that nothing of the run is left there. */
  abandoned: boolean;
}

/** Who holds which GPUs. Every write may be repeated. */
export interface Leases {
  /** Hosts that may lease GPUs now: alive, not drained, not paused, not lost. */
  gpuHosts(): Promise<GpuHost[]>;
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
