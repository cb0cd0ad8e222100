import { z } from 'zod';
import { comparisonRequestSchema } from './comparison.js';

export const leaderboardRequestSchema = z.strictObject({
  view: z.string().min(1).optional().meta({
    description: 'a view saved with `bench comparisons save`; it says all that is compared but the metric',
    placeholder: 'name',
  }),
  ...comparisonRequestSchema.shape,
});
export type LeaderboardRequest = z.input<typeof leaderboardRequestSchema>;
