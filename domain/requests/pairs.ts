import { z } from 'zod';

/** Two batches or two models, whose attempts are paired. */
export const pairsRequestSchema = z.strictObject({
  batches: z.array(z.string().min(1)).length(2).optional().describe('two: ids or names'),
  models: z.array(z.string().min(1)).length(2).optional().describe('two names'),
  tasks: z.array(z.string().min(1)).max(500).optional().describe('default: all that both sides played'),
  includeSuspect: z.boolean().default(false).describe('count suspect scores'),
});
export type PairsRequest = z.output<typeof pairsRequestSchema>;
