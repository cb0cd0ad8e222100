import { z } from 'zod';
import { batchName, usd, whole } from './fields.js';

/** New runs that go on where a run was after one of its steps. */
export const forkRequestSchema = z.strictObject({
  runId: z.string().describe('the run'),
  atStep: whole(1).describe('the last step that is taken over'),
  model: z.string().min(1).nullable().default(null).meta({
    description: "the model that goes on; default: the run's own",
    placeholder: 'name',
  }),
  attempts: whole(1, 1000).default(1).describe('forks, each with a seed of its own'),
  maxSteps: whole(1, 100_000)
    .nullable()
    .default(null)
    .describe("steps per run, the copied ones included; default: the run's own"),
  costLimit: usd()
    .nullable()
    .default(null)
    .describe("most that a fork may spend on model calls; default: the run's own"),
  concurrency: whole(1, 10_000).default(8).describe('runs at the same time'),
  name: batchName().nullable().default(null).describe('a name for the batch, instead of its id'),
});
export type ForkRequest = z.output<typeof forkRequestSchema>;
