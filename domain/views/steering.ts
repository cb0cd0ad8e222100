import { z } from 'zod';
import { batchIdSchema, countSchema, runIdSchema } from './values.js';

/** What an action would do now, counted. */
export const previewSchema = z
  .strictObject({
    action: z.string(),
    subject: z.string().describe('id of a batch, run or host; name of an account'),
    allowed: z.boolean(),
    refusal: z.string().nullable().describe('why not, with what to do'),
    effects: z
      .array(
        z.strictObject({
          what: z.string().describe('such as `runs_in_flight_end`, `runs_not_begun_end`, `runs_repeated`'),
          count: countSchema.nullable(),
          text: z.string().describe('for people'),
        }),
      )
      .describe('in the order in which to tell them'),
    final: z.boolean().describe('there is no way back'),
    tag: z
      .string()
      .describe('the state that this was counted in: the request sends it, and is refused (412) once it is another'),
  })
  .meta({ id: 'Preview' });
export type Preview = z.infer<typeof previewSchema>;

/** What an action did. A repetition under the same `Idempotency-Key` gets the same answer. */
export const actionResultSchema = z
  .strictObject({
    action: z.string(),
    subject: z.string(),
    result: z.looseObject({}).describe('as the command has it in JSON'),
    batchId: batchIdSchema.nullable().describe('where to look on: after `fork`, the new batch'),
    runs: z.array(runIdSchema).describe('that it made or ended'),
    repeated: z.boolean().describe('it was done already, by an earlier request of this key'),
  })
  .meta({ id: 'ActionResult' });
export type ActionResult = z.infer<typeof actionResultSchema>;
