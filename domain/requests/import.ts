import { z } from 'zod';
import type { MlgymTask } from '../mlgym/tasks.js';

const usdPerMillion = z.number().min(0).max(1_000_000);
const importedPriceSchema = z.strictObject({ input: usdPerMillion, output: usdPerMillion });
export type ImportedPrice = z.infer<typeof importedPriceSchema>;

export const directoriesRequestSchema = z.strictObject({
  batch: z.string().min(1).default('mlgym').meta({
    description: 'batch to import into; created if needed',
    placeholder: 'name',
  }),
  taskMetric: z.record(z.string(), z.custom<MlgymTask>()).optional().meta({
    description: 'metric that ranks a task outside MLGym-Bench; repeatable',
    placeholder: 'task=metric:max|min',
  }),
  prices: z.record(z.string(), importedPriceSchema).optional().meta({
    description: 'US dollars per million tokens of a model, for the price list `mlgym`; repeatable',
    placeholder: 'model=input/output',
  }),
  dryRun: z.boolean().default(false).describe('read and check everything; store nothing'),
});
export type DirectoriesRequest = z.output<typeof directoriesRequestSchema>;

/** Lines of an export, with their ids. */
export const linesRequestSchema = z.strictObject({
  trust: z.array(z.string()).optional().meta({
    description: 'accept only lines signed by this public key, or by this home; repeatable',
    placeholder: 'file',
  }),
});
export type LinesRequest = z.output<typeof linesRequestSchema>;

/** Trajectories and logs of other tools, as ended runs. */
export const exchangeRequestSchema = z.strictObject({
  batch: z.string().min(1).default('imported').meta({
    description: 'batch to import into; created if needed',
    placeholder: 'name',
  }),
  task: z.string().min(1).optional().meta({
    description: 'task of trajectories that do not name theirs',
    placeholder: 'id',
  }),
  dryRun: z.boolean().default(false).describe('read and check everything; store nothing'),
});
export type ExchangeRequest = z.output<typeof exchangeRequestSchema>;
