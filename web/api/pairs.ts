import { pairsRequestSchema } from '../../domain/requests/pairs.js';
import { pairsSchema } from '../../domain/views/pairs.js';
import { route } from './route.js';

export const pairRoutes = {
  pairs: route({
    method: 'GET',
    path: '/compare/pairs',
    summary: 'two batches or two models, attempt by attempt',
    role: 'viewer',
    query: pairsRequestSchema,
    answer: pairsSchema,
  }),
};
