import type { HostRegistry } from '../../../domain/ports/record/hosts.js';
import type { Leases } from '../../../domain/ports/record/leases.js';
import type { Placements } from '../../../domain/ports/record/placement.js';
import type { Statements } from '../../statements.js';
import { drainHost, hostLeft, removeHost } from './departures.js';
import { placedRuns, judgeHost, beginEpoch, gpuHosts } from './placements.js';
import { registerHost, hostReturned, hostStates } from './registrations.js';

type Hosts = HostRegistry & Pick<Placements, 'judgeHost' | 'beginEpoch'> & Pick<Leases, 'gpuHosts'>;

export const hostStore = (run: Statements): Hosts => ({
  registerHost: (host) => registerHost(run, host),
  hostReturned: (hostId, abandoned) => hostReturned(run, hostId, abandoned),
  drainHost: (hostId, drained) => drainHost(run, hostId, drained),
  hostLeft: (hostId, detail) => hostLeft(run, hostId, detail),
  placedRuns: (hostId) => placedRuns(run, hostId),
  removeHost: (hostId) => removeHost(run, hostId),
  judgeHost: (args) => judgeHost(run, args),
  beginEpoch: (runId, epoch, hostId) => beginEpoch(run, runId, epoch, hostId),
  gpuHosts: () => gpuHosts(run),
  hostStates: () => hostStates(run),
});
