import { z } from 'zod';
import type { MlgymTask } from '../mlgym/tasks.js';

/** Run directories of MLGym, as runs that have ended. */
export const directoriesRequestSchema = z.strictObject({
  batch: z.string().min(1).default('mlgym').meta({
    description: 'batch to import into; created if needed',
    placeholder: 'name',
  }),
  taskMetric: z.record(z.string(), z.custom<MlgymTask>()).optional().meta({
    description: 'metric that ranks a task outside MLGym-Bench; repeatable',
    placeholder: 'task=metric:max|min',
  }),
  dryRun: z.boolean().default(false).describe('read and check everything; store nothing'),
});
export type DirectoriesRequest = z.output<typeof directoriesRequestSchema>;

/** Lines that an export wrote, with their ids. */
export const linesRequestSchema = z.strictObject({
  trust: z.array(z.string()).optional().meta({
    description: 'accept only lines signed by this public key, or by this home; repeatable',
    placeholder: 'file',
  }),
});
export type LinesRequest = z.output<typeof linesRequestSchema>;

/** Trajectories and logs of other tools, as runs that have ended. */
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
