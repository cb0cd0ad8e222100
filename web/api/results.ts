import { z } from 'zod';
import { leaderboardRequestSchema } from '../../domain/requests/leaderboard.js';
import { comparisonsDocumentSchema, shownComparisonSchema } from '../../domain/views/comparisons.js';
import { leaderboardSchema } from '../../domain/views/leaderboard.js';
import { leaderboardRunSchema } from '../../domain/views/leaderboard-run.js';
import { route } from './route.js';

export const resultRoutes = {
  leaderboard: route({
    method: 'GET',
    path: '/leaderboard',
    summary: 'models over tasks, as `bench leaderboard --json` prints them',
    role: 'viewer',
    query: leaderboardRequestSchema,
    answer: leaderboardSchema,
  }),
  leaderboardCell: route({
    method: 'GET',
    path: '/leaderboard/cell',
    summary: 'the runs behind one figure',
    role: 'viewer',
    query: leaderboardRequestSchema.extend({
      model: z.string().min(1),
      kind: z.string().min(1),
      isolation: z.string().min(1),
      task: z.string().min(1).optional().describe('default: all of the row'),
    }),
    answer: z.strictObject({ runs: z.array(leaderboardRunSchema) }),
  }),
  comparisons: route({
    method: 'GET',
    path: '/comparisons',
    summary: 'saved comparisons',
    role: 'viewer',
    answer: comparisonsDocumentSchema,
  }),
  comparison: route({
    method: 'GET',
    path: '/comparisons/:name',
    summary: 'a saved comparison',
    role: 'viewer',
    answer: shownComparisonSchema,
  }),
};
