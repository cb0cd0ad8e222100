import type { LeasesDocument } from '../../domain/views/leases.js';
import type { Bench } from '../bench.js';

/** The GPUs that runs hold, and the runs that wait for some, the longest first. */
export async function leases(bench: Bench, options: { includeReleased: boolean }): Promise<LeasesDocument> {
  const { queries } = await bench.database();
  const [held, waiting] = await Promise.all([queries.leases(options), queries.leaseWaiters()]);
  return { leases: held, waiting };
}
