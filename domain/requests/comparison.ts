import { z } from 'zod';
import { names, whole } from './fields.js';

export const leaderboardMetricSchema = z.enum(['best-attempt', 'best-submission']);
export const leaderboardModeSchema = z.enum(['strict', 'compat']);
/** What is left out unless it is included by name. */
export const INCLUDED = ['suspect', 'scripted', 'local', 'imported'] as const;
export type Included = (typeof INCLUDED)[number];

/** What is compared, by which rules. `shown`: defaults, unless a saved comparison sets them. */
export const comparisonRequestSchema = z.strictObject({
  metric: leaderboardMetricSchema
    .optional()
    .meta({ description: 'the attempts that the order is about', placeholder: 'metric', shown: 'best-attempt' }),
  models: names().optional().describe('only these models, comma-separated'),
  tasks: names().optional().meta({
    description: 'only these tasks, comma-separated; `task@2`: contract 2 instead of the newest',
    placeholder: 'ids',
  }),
  suite: z.string().min(1).optional().meta({ description: 'only the tasks of this suite', placeholder: 'name' }),
  batch: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'only runs of this batch; `all`: of every batch', placeholder: 'batch' }),
  mode: leaderboardModeSchema
    .optional()
    .meta({ description: 'strict omits suspect scores', placeholder: 'mode', shown: 'strict' }),
  include: z
    .array(z.enum(INCLUDED, { error: `must be one of ${INCLUDED.join(', ')}` }))
    .min(1)
    .optional()
    .meta({
      description:
        "also count `suspect` scores (outside their task's bounds, or of runs with an integrity flag); also rank `scripted` agents, replays and external players, `local` runs without isolation, `imported` runs of another home",
      placeholder: 'what',
    }),
  sample: z
    .boolean()
    .optional()
    .describe('use runs on sample data, and tasks that need no data; otherwise such runs do not count'),
  profile: z.string().min(1).optional().meta({
    description:
      "use runs under this profile, and tasks without it; default: the tasks' own budgets, or `cpu` on sample data",
    placeholder: 'name',
  }),
});
export type ComparisonRequest = z.input<typeof comparisonRequestSchema>;

export const savedComparisonRequestSchema = comparisonRequestSchema.extend({
  k: whole(1).optional().describe('count only the first n scored runs of each model and task'),
});
export type SavedComparisonRequest = z.input<typeof savedComparisonRequestSchema>;
