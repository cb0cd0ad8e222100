import type { Backend } from '../../domain/run.js';
import type { Bench } from '../bench.js';
import { isUp } from './check-hosts.js';
import type { Hosts } from './hosts-if-known.js';

/** Several registrations of a worker, each of which looks for engines. */
const LOOKS_MS = 60_000;
const PAUSE_MS = 500;

/**
 * The hosts, as of looks for engines that may count. Where no worker that is up offers the backend, each may have looked before the engine was
 * there: this waits until one offers it or all have registered again. After a minute those that have not are left out, as if they were away.
 */
export async function hostsOffering(bench: Bench, backend: Backend): Promise<Hosts> {
  const { queries } = await bench.database();
  const first = await queries.hosts();
  const lookedBefore = new Map(first.map(({ hostId, seenAt }) => [hostId, seenAt]));
  const hasLooked = ({ hostId, seenAt }: Hosts[number]): boolean => lookedBefore.get(hostId) !== seenAt;
  const until = Date.now() + LOOKS_MS;
  for (let hosts = first; ; hosts = await queries.hosts()) {
    const up = hosts.filter((host) => isUp(host));
    if (up.some(({ backends }) => backends.includes(backend)) || up.every(hasLooked)) return hosts;
    if (Date.now() > until) return hosts.filter((host) => !isUp(host) || hasLooked(host));
    if (hosts === first)
      bench.notify({
        code: 'progress',
        line: `no worker offers ${backend} yet; waiting for each to look for it again`,
      });
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
