import type { HostRow } from '../../../domain/views/hosts.js';
import type { Bench } from '../../bench.js';

/** The machines that execute runs. */
export const listHosts = async (bench: Bench, options: { includeRemoved: boolean }): Promise<HostRow[]> =>
  (await bench.database()).queries.hosts(options);
