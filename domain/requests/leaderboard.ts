import { z } from 'zod';
import { comparisonRequestSchema } from './comparison.js';
import { whole } from './fields.js';

const resamplesError = 'must be a whole number from 100 to 100000, or 0 for no intervals';

/** How intervals are made. */
const intervals = {
  resamples: z
    .number({ error: resamplesError })
    .int({ error: resamplesError })
    .max(100_000, { error: resamplesError })
    .refine((value) => value === 0 || value >= 100, { error: resamplesError })
    .default(1000)
    .meta({ description: 'number of resamples for the intervals', placeholder: 'n' }),
  seed: whole(0, 2 ** 31 - 1)
    .default(1)
    .describe('seed of the resamples'),
};

const OVER = ['tasks', 'attempts'] as const;
/** What is resampled for the intervals that are shown. */
export const overSchema = z.enum(OVER).default('tasks').meta({
  description: 'resample over `tasks` or over `attempts`',
  placeholder: 'what',
});

export const leaderboardRequestSchema = z.strictObject({
  comparison: z.string().min(1).optional().meta({
    description: 'a comparison saved with `bench comparisons save`; it says all that is compared but the metric',
    placeholder: 'name',
  }),
  ...comparisonRequestSchema.shape,
  ...intervals,
  estimateK: whole(1)
    .optional()
    .meta({ description: 'add a table of the expected best of k attempts', placeholder: 'k' }),
});
export type LeaderboardRequest = z.input<typeof leaderboardRequestSchema>;
