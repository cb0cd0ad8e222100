import type { PairsRequest } from '../../../domain/requests/pairs.js';
import type { Bench } from '../../../operations/bench.js';
import { comparePairs } from '../../../operations/results/compare-pairs.js';
import type { Handler } from '../call.js';

export const pairHandlers = (bench: Bench): Record<string, Handler> => ({
  pairs: ({ query }) => comparePairs(bench, query as PairsRequest),
});
