import { comparePairs } from '../../../operations/results/compare-pairs.js';
import type { pairRoutes } from '../../api/pairs.js';
import type { Handlers } from '../call.js';

export const pairHandlers = (ports: Parameters<typeof comparePairs>[0]): Handlers<typeof pairRoutes> => ({
  pairs: ({ query }) => comparePairs(ports, query),
});
