import { z } from 'zod';
import { batchOptionsSchema } from './batch.js';
import { runOptionsSchema } from './run-options.js';

export const personAnswerSchema = z.strictObject({
  step: z.int().min(1),
  try: z.int().min(0),
  thought: z.string().max(100_000).default(''),
  action: z.string().min(1).max(500_000).describe('a command, or a whole reply'),
  raw: z.boolean().default(false).describe('the reply is sent as it is'),
});
export type PersonAnswer = z.output<typeof personAnswerSchema>;

const { agent, maxSteps, sample } = runOptionsSchema.shape;
const { backend } = batchOptionsSchema.shape;

export const personRunSchema = z.strictObject({
  task: z.string().min(1).max(200),
  ...{ agent, maxSteps, sample, backend },
});
