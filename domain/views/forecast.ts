import { z } from 'zod';
import { countSchema } from './values.js';

const rangeSchema = z
  .strictObject({
    low: z.number(),
    expected: z.number().nullable().describe('median; null: of some runs only the limits are known'),
    high: z.number().nullable().describe('null: some runs have no limit'),
  })
  .meta({ id: 'Range', description: 'a 90 % interval' });

export const EVIDENCE = ['runs', 'imported', 'limits'] as const;

export const usageForecastSchema = z
  .strictObject({
    costUsd: rangeSchema.describe('US dollars'),
    tokens: rangeSchema.describe('input and output'),
    hours: rangeSchema.describe('until the last run ends, with as many at a time as the batch allows'),
  })
  .meta({ id: 'UsageForecast' });
/** What a batch may use, as told before it started. */
export type UsageForecast = z.infer<typeof usageForecastSchema>;

const evidenceSchema = z
  .strictObject({
    model: z.string(),
    agent: z.string(),
    task: z.string(),
    runs: countSchema.describe('planned'),
    from: z
      .enum(EVIDENCE)
      .describe('ended runs of this model, agent and task; imported runs of this task; else the limits'),
    past: countSchema.describe('runs that the forecast draws from'),
  })
  .meta({ id: 'ForecastEvidence' });

export const batchForecastSchema = usageForecastSchema
  .extend({ evidence: z.array(evidenceSchema).describe('what is known of each kind of run') })
  .meta({ id: 'Forecast' });
/** The same, and what it draws from. */
export type BatchForecast = z.infer<typeof batchForecastSchema>;
