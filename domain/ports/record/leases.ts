export interface GpuHost {
  hostId: string;
  /** Free or leased; without those that others use. */
  devices: string[];
  backends: string[];
  /** Epoch milliseconds of its departure; null or absent: it stays. */
  endsAt?: number | null;
}

export interface LeaseRecord {
  runId: string;
  token: number;
  hostId: string;
  devices: string[];
}

/** A lease that was not returned. */
export interface OpenLease extends LeaseRecord {
  /** The run may no longer use it. */
  revoked: boolean;
  /** The run moved on: its GPUs stay taken until the host confirms its removal. */
  abandoned: boolean;
}

/** Every write may be repeated. */
export interface Leases {
  /** Hosts that may lease GPUs now: alive, not drained, paused or lost. */
  gpuHosts(): Promise<GpuHost[]>;
  /** Unreturned leases, and the next unused token. */
  openLeases(): Promise<{ leases: OpenLease[]; nextToken: number }>;
  /** Leased GPUs of this host. */
  heldDevices(hostId: string): Promise<string[]>;
  /** What the run may use now. */
  devicesOf(runId: string): Promise<string[]>;
  /** A Postgres constraint refuses a leased GPU. False: the lease was already revoked. */
  recordLease(lease: LeaseRecord): Promise<boolean>;
  leaseValid(runId: string, token: number): Promise<boolean>;
  /** The run may no longer use it; GPUs stay taken until releaseLease. May be unrecorded. */
  revokeLease(lease: LeaseRecord): Promise<void>;
  /**
   * As revokeLease for a lost host: the run leaves it with its epoch one higher, so that its
   * leftovers there are out of date.
   */
  abandonLease(lease: LeaseRecord): Promise<void>;
  releaseLease(runId: string, token: number): Promise<void>;
  /** Those of these tokens that were not returned. */
  unreleased(tokens: number[]): Promise<number[]>;
}
