import { z } from 'zod';
import { evaluationDetailSchema, integrityFlagSchema } from './runs.js';
import { trajectoryStepSchema } from './trajectory.js';
import { countSchema, runIdSchema, runStatusSchema, scoreSchema, timeSchema, usdSchema } from './values.js';

const stepEvaluationSchema = z.strictObject({
  step: countSchema,
  number: countSchema,
  kind: evaluationDetailSchema.shape.kind,
  split: evaluationDetailSchema.shape.split,
  status: evaluationDetailSchema.shape.status,
  primary: scoreSchema,
  suspect: z.boolean(),
});
export type StepEvaluation = z.infer<typeof stepEvaluationSchema>;

const numbers = z.array(z.number().nullable());

/** One list per column and no texts: a hundred thousand steps are a few megabytes. */
export const stepColumnsSchema = z
  .strictObject({
    step: z.array(countSchema),
    at: z.array(z.number()).describe('when the reply was stored, milliseconds since 1970'),
    category: z.array(z.string()).describe('of the action, as MLGym counts it'),
    exitCode: numbers,
    badges: z
      .array(countSchema)
      .describe('bits: 1 copied, 2 lost, 4 timed out, 8 running, 16 no reply could be parsed'),
    requested: z.array(z.enum(['validate', 'submit']).nullable()).describe('by the command'),
    thoughtBytes: z.array(countSchema),
    actionBytes: z.array(countSchema),
    observationBytes: z.array(countSchema),
    outputBytes: numbers.describe('of the command; more than the observation: the rest was not kept'),
    modelMs: numbers,
    commandMs: numbers,
    costUsd: z.array(usdSchema),
    tokens: z.array(countSchema).describe('input and output'),
    score: z.array(scoreSchema).describe('of its last evaluation on the split that leaderboards use'),
  })
  .meta({ id: 'StepColumns' });
export type StepColumns = z.infer<typeof stepColumnsSchema>;

export const stepSkeletonSchema = z.strictObject({
  runId: runIdSchema,
  status: runStatusSchema,
  total: countSchema.describe('steps that the run has taken'),
  columns: stepColumnsSchema,
  evaluations: z.array(stepEvaluationSchema).describe('of these steps'),
  flags: z.array(integrityFlagSchema).describe('of the run'),
  events: z
    .array(z.strictObject({ eventId: countSchema, kind: z.string(), step: countSchema, at: timeSchema }))
    .describe('each at the step during which it came; 0: before the first'),
  forks: z.array(z.strictObject({ runId: runIdSchema, step: countSchema })).describe('runs that continue from a step'),
  next: countSchema.nullable().describe('`after` of the next page; null: these were the last'),
});
export type StepSkeleton = z.infer<typeof stepSkeletonSchema>;

/** A text cut to its head and tail. */
const clippedTextSchema = z
  .strictObject({
    head: z.string(),
    tail: z.string().describe("'': nothing is omitted"),
    omitted: countSchema.describe('characters between them'),
    bytes: countSchema.describe('of the whole, in UTF-8'),
  })
  .meta({ id: 'ClippedText' });
export type ClippedText = z.infer<typeof clippedTextSchema>;

const clippedStepSchema = trajectoryStepSchema
  .omit({ response: true, thought: true, action: true, observation: true })
  .extend({
    category: z.string(),
    response: clippedTextSchema,
    thought: clippedTextSchema,
    action: clippedTextSchema.nullable().describe('null: no reply could be parsed, or a program got a text'),
    observation: clippedTextSchema.nullable().describe('null: the command still runs'),
  })
  .meta({ id: 'ClippedStep' });
export type ClippedStep = z.infer<typeof clippedStepSchema>;

export const stepWindowSchema = z.strictObject({ steps: z.array(clippedStepSchema) });
export type StepWindow = z.infer<typeof stepWindowSchema>;
