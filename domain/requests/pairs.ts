import { z } from 'zod';
import { between } from './fields.js';

export const COMPARED_BY = ['batch', 'model', 'agent'] as const;
export type ComparedBy = (typeof COMPARED_BY)[number];

const rules = {
  tasks: z.array(z.string().min(1)).max(500).optional().meta({
    description: 'only these tasks, comma-separated; default: all that both sides played',
    placeholder: 'ids',
  }),
  includeSuspect: z.boolean().default(false).describe('count suspect scores'),
  confidence: between(0.5, 0.9999, 'c')
    .default(0.95)
    .describe('of intervals and of the verdict: equal sides are called worse in half of what is left'),
  margin: between(0, 0.5, 'm')
    .default(0.1)
    .describe('loss of win rate that does not matter: surely less of it is not worse'),
};

/** Two batches, models or agents, whose attempts are paired. */
export const pairsRequestSchema = z.strictObject({
  batches: z.array(z.string().min(1)).length(2).optional().describe('two: ids or names'),
  models: z.array(z.string().min(1)).length(2).optional().describe('two names'),
  agents: z.array(z.string().min(1)).length(2).optional().describe('two names'),
  ...rules,
});
export type PairsRequest = z.output<typeof pairsRequestSchema>;

/** Two sides by name: what they are shows, or `by` says it. */
export const compareRequestSchema = z.strictObject({
  a: z.string().min(1),
  b: z.string().min(1),
  by: z
    .enum(COMPARED_BY, { error: `must be one of ${COMPARED_BY.join(', ')}` })
    .optional()
    .meta({
      description: 'what A and B are; default: models, agents or batches, whichever has both',
      placeholder: 'what',
    }),
  view: z.string().min(1).optional().meta({
    description:
      'only what a view saved with `bench comparisons save` compares: its tasks and their versions, its batch',
    placeholder: 'name',
  }),
  ...rules,
});
export type CompareRequest = z.input<typeof compareRequestSchema>;
