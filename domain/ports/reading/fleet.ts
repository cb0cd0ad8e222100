import type { LeaseRow, LeaseWaiter } from '../../views/leases.js';
import type { HostReads } from './hosts.js';

export interface FleetReads extends HostReads {
  leases(options?: { includeReleased?: boolean }): Promise<LeaseRow[]>;
  /** Runs that wait for GPUs, the longest first. */
  leaseWaiters(): Promise<LeaseWaiter[]>;
  unfinishedRuns(): Promise<number>;
}
