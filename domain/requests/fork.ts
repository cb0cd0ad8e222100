import { z } from 'zod';
import { batchName, usd, whole } from './fields.js';

/** Runs that continue after one step of a run. */
export const forkRequestSchema = z.strictObject({
  runId: z.string().describe('the run'),
  atStep: whole(1).describe('last step to copy'),
  model: z.string().min(1).nullable().default(null).meta({
    description: "model that continues; default: the run's own",
    placeholder: 'name',
  }),
  attempts: whole(1, 1000).default(1).describe('number of forks, each with its own seed'),
  maxSteps: whole(1, 100_000)
    .nullable()
    .default(null)
    .describe("step limit of each run, copied steps included; default: the run's own"),
  costLimit: usd()
    .nullable()
    .default(null)
    .describe("cap on what each fork spends on model calls; default: the run's own"),
  concurrency: whole(1, 10_000).default(8).describe('concurrent runs'),
  name: batchName().nullable().default(null).describe('name of the batch'),
});
export type ForkRequest = z.output<typeof forkRequestSchema>;
