import { z } from 'zod';

const configProblemSchema = z
  .strictObject({
    file: z.string(),
    line: z.int().nonnegative().nullable().describe('from 1; null: the whole file'),
    key: z.string().describe('as `metrics.payoff.direction`; empty: the whole file'),
    message: z.string(),
  })
  .meta({ id: 'ConfigProblem' });
export type ConfigProblem = z.infer<typeof configProblemSchema>;

export const validatedFileSchema = z.strictObject({
  file: z.string(),
  kind: z.enum(['task', 'agent', 'commands', 'model', 'suite', 'folder']),
  problems: z.array(configProblemSchema),
});
export type ValidatedFile = z.infer<typeof validatedFileSchema>;
