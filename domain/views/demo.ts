import { z } from 'zod';
import { batchDocumentSchema } from './batches.js';
import { leaderboardSchema } from './leaderboard.js';

/** Without a leaderboard if it was left before the end. */
export const demoDocumentSchema = z.strictObject({
  batch: batchDocumentSchema,
  leaderboard: leaderboardSchema.nullable(),
});
export type DemoDocument = z.infer<typeof demoDocumentSchema>;
