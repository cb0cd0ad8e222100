import type { Backend } from '../../domain/run/run.js';
import type { HostReads } from '../../domain/ports/reading/hosts.js';
import type { Notice } from '../notices.js';
import { type Hosts, isUp } from './check-hosts.js';

/** Several registrations of a worker, each of which looks for engines. */
const LOOKS_MS = 60_000;
const PAUSE_MS = 500;

export interface HostsPorts {
  queries: HostReads;
  notify: (notice: Notice) => void;
}

/**
 * The hosts, after each had the chance to find an engine that has just started: waits until a live
 * worker offers the backend or all have registered again. After a minute, hosts that have not
 * registered are omitted.
 */
export async function hostsOffering({ queries, notify }: HostsPorts, backend: Backend): Promise<Hosts> {
  const first = await queries.hosts();
  const lookedBefore = new Map(first.map(({ hostId, seenAt }) => [hostId, seenAt]));
  const hasLooked = ({ hostId, seenAt }: Hosts[number]): boolean => lookedBefore.get(hostId) !== seenAt;
  const until = Date.now() + LOOKS_MS;
  for (let hosts = first; ; hosts = await queries.hosts()) {
    const up = hosts.filter((host) => isUp(host));
    if (up.some(({ backends }) => backends.includes(backend)) || up.every(hasLooked)) return hosts;
    if (Date.now() > until) return hosts.filter((host) => !isUp(host) || hasLooked(host));
    if (hosts === first)
      notify({
        code: 'progress',
        line: `no worker offers ${backend} yet; waiting for each to look for it again`,
      });
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
