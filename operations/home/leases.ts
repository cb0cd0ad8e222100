import type { LeasesDocument } from '../../domain/views/leases.js';
import type { FleetReads } from '../../domain/ports/reading/fleet.js';

/** Leased GPUs, and the runs that wait for some, the longest first. */
export async function leases(
  { queries }: { queries: Pick<FleetReads, 'leases' | 'leaseWaiters'> },
  options: { includeReleased: boolean },
): Promise<LeasesDocument> {
  const [held, waiting] = await Promise.all([queries.leases(options), queries.leaseWaiters()]);
  return { leases: held, waiting };
}
