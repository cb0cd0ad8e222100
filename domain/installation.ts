import type { TemporalNamespace } from './ports/record/hosts.js';

export interface Installation {
  /** UUID, made once per database; backups carry it. */
  id: string;
  /** Host, port and database, for messages. */
  database: string;
  /** Hosts that are heard now, and the Temporal that they said to poll. */
  hosts: { hostId: string; homeId: string | null; namespace: TemporalNamespace }[];
}
