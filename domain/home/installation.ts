import type { TemporalNamespace } from '../ports/record/hosts.js';

export interface Installation {
  /** UUID, made once per database; backups carry it. */
  id: string;
  /** Host, port and database, for messages. */
  database: string;
  /** Hosts that are alive, and the Temporal namespace that each polls. */
  hosts: { hostId: string; homeId: string | null; namespace: TemporalNamespace }[];
}
