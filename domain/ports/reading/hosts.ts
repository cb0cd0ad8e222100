import type { HostRow } from '../../views/hosts.js';

/** Hosts as they registered last. */
export interface HostReads {
  hosts(options?: { includeRemoved?: boolean }): Promise<HostRow[]>;
}
