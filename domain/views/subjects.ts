import { z } from 'zod';
import {
  countSchema,
  directionSchema,
  modelKindSchema,
  runIdSchema,
  scoreSchema,
  timeSchema,
  usdSchema,
} from './values.js';

// What was played: tasks, models and agents, each with what came of it.

/** A model's runs of a task. Scores are the best of each run, suspect values left out. */
const playedCellSchema = z
  .strictObject({
    model: z.string(),
    kind: modelKindSchema,
    task: z.string(),
    direction: directionSchema,
    baseline: scoreSchema,
    runs: countSchema,
    ended: countSchema,
    faults: countSchema.describe('ended by the infrastructure'),
    scores: z.array(z.number()).describe('of each run that has one, the best first, at most 500'),
    scored: countSchema,
    best: scoreSchema,
    bestRun: runIdSchema.nullable(),
    median: scoreSchema,
    mean: scoreSchema,
    firstScoreStep: z.number().nullable().describe('median of the step of the first valid score'),
    steps: z.number().nullable().describe('median'),
    ends: z.record(z.string(), countSchema).describe('ended runs by reason'),
    costUsd: usdSchema,
    tokens: countSchema,
  })
  .meta({ id: 'PlayedCell' });
export type PlayedCell = z.infer<typeof playedCellSchema>;

const played = {
  name: z.string(),
  runs: countSchema,
  ended: countSchema,
  versions: countSchema,
  lastRunAt: timeSchema,
  costUsd: usdSchema,
};

/** `of`: how many models of a task, tasks of a model, models of an agent. */
export const playedListSchema = z.strictObject({
  played: z.array(
    z.strictObject({ ...played, of: countSchema, title: z.string().nullable() }).meta({ id: 'PlayedSubject' }),
  ),
});
export type PlayedList = z.infer<typeof playedListSchema>;

export const playedSchema = z
  .strictObject({
    name: z.string(),
    versions: z
      .array(
        z.strictObject({
          hash: z.string(),
          contract: countSchema.nullable().describe('of a task'),
          createdAt: timeSchema,
          runs: countSchema,
          content: z.looseObject({}).describe('as it was submitted'),
        }),
      )
      .describe('the newest first'),
    cells: z.array(playedCellSchema),
    costs: z
      .array(
        z.strictObject({
          list: z.string(),
          runs: countSchema,
          listUsd: usdSchema.nullable(),
          recordedUsd: usdSchema.nullable(),
        }),
      )
      .describe('of a model, by each list of prices'),
  })
  .meta({ id: 'Played' });
export type Played = z.infer<typeof playedSchema>;
