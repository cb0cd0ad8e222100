import { z } from 'zod';
import { comparisonRequestSchema } from './comparison.js';

export const leaderboardRequestSchema = z.strictObject({
  view: z.string().min(1).optional().meta({
    description: 'a view saved with `bench comparisons save`; it says all that is compared but the metric',
    placeholder: 'name',
  }),
  ...comparisonRequestSchema.shape,
  batch: comparisonRequestSchema.shape.batch.meta({
    description:
      'only runs of this batch; `all`: of every batch; default: of the newest with a run that counts, or every one where models or tasks are named',
    placeholder: 'batch',
  }),
});
export type LeaderboardRequest = z.input<typeof leaderboardRequestSchema>;
