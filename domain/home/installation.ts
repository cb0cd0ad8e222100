import type { TemporalNamespace } from '../ports/record/hosts.js';

export interface Installation {
  /** UUID, made once per database; backups contain it. */
  id: string;
  /** Host, port and database, for messages. */
  database: string;
  /** Live hosts with their Temporal namespaces. */
  hosts: { hostId: string; homeId: string | null; namespace: TemporalNamespace }[];
}
