import { z } from 'zod';
import { countSchema, runIdSchema, runStatusSchema, timeSchema } from './values.js';

export const personTurnSchema = z.strictObject({
  runId: runIdSchema,
  status: runStatusSchema,
  format: z.string().describe('of replies, in the words that a model reads'),
  turn: z
    .strictObject({
      step: countSchema,
      try: countSchema.describe('0: the first reply to this step'),
      requestedAt: timeSchema,
      messages: z.array(z.strictObject({ role: z.enum(['system', 'user', 'assistant', 'tool']), content: z.string() })),
    })
    .nullable()
    .describe('null: none waits'),
});
export type PersonTurn = z.infer<typeof personTurnSchema>;

export const takenAnswerSchema = z.strictObject({
  runId: runIdSchema,
  counts: z.boolean().describe('false: another answer was first'),
  delivered: z.boolean().describe('true: its run continues at once; false: within seconds'),
});
export type TakenAnswer = z.infer<typeof takenAnswerSchema>;

export const startedRunSchema = z.strictObject({ runId: runIdSchema });
