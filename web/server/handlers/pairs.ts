import { comparePairs } from '../../../operations/results/compare-pairs.js';
import type { pairRoutes } from '../../api/pairs.js';
import type { Handlers } from '../call.js';
import type { PortsOf } from '../../../operations/ports-of.js';

export const pairHandlers = (ports: PortsOf<typeof comparePairs>): Handlers<typeof pairRoutes> => ({
  pairs: ({ query }) => comparePairs(ports, query),
});
