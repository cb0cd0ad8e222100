import { z } from 'zod';
import { batchDocumentSchema } from './batches.js';
import { leaderboardSchema } from './leaderboard.js';

export const demoDocumentSchema = z
  .strictObject({
    batch: batchDocumentSchema,
    leaderboard: leaderboardSchema.nullable().describe('null: left before the end'),
  })
  .meta({ id: 'Demo' });
export type DemoDocument = z.infer<typeof demoDocumentSchema>;
