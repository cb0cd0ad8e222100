import { z } from 'zod';
import type { MlgymTask } from '../mlgym/tasks.js';

/** Run directories of MLGym, as runs that have ended. */
export const directoriesRequestSchema = z.strictObject({
  batch: z.string().min(1).default('mlgym').meta({
    description: 'the batch that takes them; made if there is none of this name',
    placeholder: 'name',
  }),
  taskMetric: z.record(z.string(), z.custom<MlgymTask>()).optional().meta({
    description: 'what ranks a task beyond MLGym-Bench; repeatable',
    placeholder: 'task=metric:max|min',
  }),
  dryRun: z.boolean().default(false).describe('read and check everything, and store nothing'),
});
export type DirectoriesRequest = z.output<typeof directoriesRequestSchema>;

/** Lines that an export wrote, with their ids. */
export const linesRequestSchema = z.strictObject({
  trust: z.array(z.string()).optional().meta({
    description: 'take only lines that the key of this public key file signed (or this home itself); repeatable',
    placeholder: 'file',
  }),
});
export type LinesRequest = z.output<typeof linesRequestSchema>;
