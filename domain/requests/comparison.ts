import { z } from 'zod';
import { names, whole } from './fields.js';

export const leaderboardMetricSchema = z.enum(['best-attempt', 'best-submission']);
export const leaderboardModeSchema = z.enum(['strict', 'compat']);
/** What orders the rows: see ORDER_MEANINGS. */
export const LEADERBOARD_ORDERS = ['win-rate', 'gain', 'aup', 'rank'] as const;
export const leaderboardOrderSchema = z.enum(LEADERBOARD_ORDERS);

const axisError = 'must be a number above 0, at most 100: 1 is a factor of 10';

/** What is compared, and by which rules. `shown` is what the left out means unless a saved comparison says otherwise. */
export const comparisonRequestSchema = z.strictObject({
  metric: leaderboardMetricSchema
    .optional()
    .meta({ description: 'the attempts that the order is about', placeholder: 'metric', shown: 'best-attempt' }),
  order: leaderboardOrderSchema.optional().meta({
    description:
      'what orders the rows: `win-rate` (chance of beating another model), `gain` (mean gain), `aup`, `rank` (average rank)',
    placeholder: 'by',
    shown: 'win-rate; rank in compat mode',
  }),
  models: names().optional().describe('only these models, comma-separated'),
  tasks: names().optional().meta({
    description: 'only these tasks, comma-separated; `task@2`: contract 2 instead of the newest',
    placeholder: 'ids',
  }),
  suite: z.string().min(1).optional().meta({ description: 'only the tasks of this suite', placeholder: 'name' }),
  batch: z.string().min(1).optional().meta({ description: 'only runs of this batch', placeholder: 'batch' }),
  k: whole(1).optional().describe('count only the first n scored runs of each model and task'),
  T: z.number({ error: axisError }).gt(0, { error: axisError }).max(100, { error: axisError }).optional().meta({
    description:
      'length of the profile axis, log10 of the ratio to the best (1: a factor of 10); default: from the data',
    placeholder: 'length',
  }),
  mode: leaderboardModeSchema
    .optional()
    .meta({ description: 'strict omits suspect scores', placeholder: 'mode', shown: 'strict' }),
  includeSuspect: z
    .boolean()
    .optional()
    .describe("count suspect scores: outside their task's bounds, or of runs with an integrity flag"),
  includeScripted: z.boolean().optional().describe('also rank scripted agents, replays and external players'),
  includeLocal: z.boolean().optional().describe('also rank runs without isolation'),
  includeImported: z.boolean().optional().describe('also rank imported runs that another home played'),
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
