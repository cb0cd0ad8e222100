import type { HostRow } from '../../views/hosts.js';

/** At their last registration. */
export interface HostReads {
  hosts(options?: { includeRemoved?: boolean }): Promise<HostRow[]>;
}
