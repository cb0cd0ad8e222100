import type { HostReads } from '../../domain/ports/reading/hosts.js';
import type { Notice } from '../notices.js';
import type { Hosts } from './check-hosts.js';

export interface HostsIfKnownPorts {
  ifDatabaseAnswers<T>(read: (stores: { queries: HostReads }) => Promise<T>): Promise<T | null>;
  notify: (notice: Notice) => void;
}

/** For a dry run: null, with a notice, where no database answers. */
export async function hostsIfKnown(ports: HostsIfKnownPorts): Promise<Hosts | null> {
  const hosts = await ports.ifDatabaseAnswers(({ queries }) => queries.hosts());
  if (hosts === null) ports.notify({ code: 'hosts.unknown' });
  return hosts;
}
