import { z } from 'zod';
import { countSchema } from './values.js';

const rangeSchema = z
  .strictObject({
    low: z.number(),
    expected: z.number().nullable().describe('median; null: of some runs only the limits are known'),
    high: z.number().nullable().describe('null: some runs have no limit'),
  })
  .meta({ id: 'Range', description: 'a 90 % interval' });

const EVIDENCE = ['runs', 'other_agent', 'imported', 'limits'] as const;

export const usageForecastSchema = z
  .strictObject({
    costUsd: rangeSchema.describe('US dollars'),
    tokens: rangeSchema.describe('input and output'),
    hours: rangeSchema.describe('until the last run ends, with as many at a time as the batch allows'),
  })
  .meta({ id: 'UsageForecast' });
/** What a batch may use, forecast before it started. */
export type UsageForecast = z.infer<typeof usageForecastSchema>;

const evidenceSchema = z
  .strictObject({
    model: z.string(),
    agent: z.string(),
    task: z.string(),
    runs: countSchema.describe('planned; with `attempts: auto` the median of what is expected'),
    from: z
      .enum(EVIDENCE)
      .describe(
        'ended runs of this model, agent and task; of this model and task by another agent; imported runs of this task; else the limits. The second and third widen the range',
      ),
    basedOnRuns: countSchema.describe('runs that the forecast draws from'),
  })
  .meta({ id: 'ForecastEvidence' });

const attemptsSchema = z
  .strictObject({
    spread: z.number().describe('standard deviation of gains among attempts of one model at one task'),
    basedOnAttempts: countSchema.describe('attempts that the spread is computed from'),
    ownModels: z.boolean().describe('true: they are attempts of these models; false: of other models at these tasks'),
    needed: z
      .array(
        z
          .strictObject({ difference: z.number().describe('of mean gains'), attempts: countSchema })
          .meta({ id: 'NeededAttempts' }),
      )
      .describe('attempts per model and task that detect such a difference at 95 %, in four of five comparisons'),
  })
  .meta({ id: 'AttemptsForecast' });
/** How many attempts it takes to tell two models apart. */
export type AttemptsForecast = z.infer<typeof attemptsSchema>;

export const batchForecastSchema = usageForecastSchema
  .extend({
    attempts: attemptsSchema.nullable().describe('null: no model has played these tasks more than once'),
    evidence: z.array(evidenceSchema).describe('what is known of each kind of run'),
  })
  .meta({ id: 'Forecast' });
/** The same, and what it draws from. */
export type BatchForecast = z.infer<typeof batchForecastSchema>;
