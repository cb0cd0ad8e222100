import type { HostRow } from '../../../domain/views/hosts.js';
import type { Bench } from '../../bench.js';
import { withUnreached } from './unreached.js';

/** The machines that execute runs. */
export const listHosts = async (bench: Bench, options: { includeRemoved: boolean }): Promise<HostRow[]> =>
  withUnreached(bench, await (await bench.database()).queries.hosts(options), ({ state }) =>
    ['silent', 'lost'].includes(state),
  );
