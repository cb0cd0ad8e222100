import { z } from 'zod';
import { CAUSE_NAMES } from '../recording/causes.js';
import { recordingSchema } from '../recording/recording.js';
import { runDetailSchema } from './runs.js';
import { countSchema, scoreSchema } from './values.js';

const differenceSchema = z.strictObject({
  line: countSchema,
  recorded: z.string().nullable(),
  now: z.string().nullable(),
});

const replayedStepSchema = z
  .strictObject({
    step: countSchema,
    action: z.string(),
    state: z.enum(['same', 'diverges', 'refused', 'unfinished', 'not_played', 'added']),
    difference: differenceSchema.nullable().describe('the first line that differs, from 1'),
    cause: z.enum(CAUSE_NAMES).nullable().describe('why; null: the same, or added'),
  })
  .meta({ id: 'ReplayedStep' });

const { format, omitted, endedBy } = recordingSchema.shape;
const {
  runId,
  batchId,
  model,
  task,
  agent,
  backend,
  status,
  endReason,
  finalEvaluation,
  exitStatus,
  detail,
  direction,
} = runDetailSchema.shape;

/** A run of a recording beside that recording. */
export const replayReportSchema = z
  .strictObject({
    ...{ runId, batchId, model, task, agent, backend, status, endReason, finalEvaluation, exitStatus, detail },
    recording: z
      .strictObject({ hash: z.string(), format, omitted, endedBy })
      .describe('`omitted`: entries that are no replies'),
    recorded: countSchema.describe('replies; the counts that follow say what became of them'),
    same: countSchema,
    diverged: countSchema,
    refused: countSchema,
    notPlayed: countSchema,
    scores: z
      .strictObject({
        primary: z.string(),
        direction,
        recorded: z.array(scoreSchema),
        now: z.array(scoreSchema),
      })
      .describe('of each evaluation that gave one'),
    steps: z.array(replayedStepSchema),
  })
  .meta({ id: 'Replay' });
export type ReplayReport = z.infer<typeof replayReportSchema>;

const shareSchema = z.number().min(0).max(1).nullable();

const finalScoresSchema = z
  .strictObject({
    recorded: scoreSchema,
    now: scoreSchema,
    equal: z.boolean().describe('both none, or no further apart than noise'),
  })
  .meta({ id: 'ReplayedScore' });

/** Runs of many recordings beside these recordings. */
export const replayTableSchema = z
  .strictObject({
    noise: z.number().nullable().describe("as asked for; null: three standard errors of each task's baseline"),
    runs: z.array(
      z
        .strictObject({
          ...{ runId, batchId, model, task, agent, status },
          ...{
            recorded: countSchema,
            same: countSchema,
            declared: countSchema.describe('differ for a declared cause'),
          },
          final: finalScoresSchema,
          cause: z.enum(CAUSE_NAMES).nullable().describe('of a changed final score: of the first step that differs'),
        })
        .meta({ id: 'ReplayedRun' }),
    ),
    steps: z
      .strictObject({
        recorded: countSchema,
        same: countSchema,
        declared: countSchema,
        share: shareSchema.describe('same or declared, of those recorded'),
      })
      .meta({ id: 'ReplayedSteps' }),
    finalScores: z.strictObject({ runs: countSchema, equal: countSchema, share: shareSchema }),
    causes: z.array(
      z
        .strictObject({
          cause: z.enum(CAUSE_NAMES),
          declared: z.boolean(),
          meaning: z.string(),
          steps: countSchema,
          runs: countSchema.describe('in which it is met'),
          finalScores: countSchema.describe('changed, whose first difference is of this cause'),
        })
        .meta({ id: 'ReplayCause' }),
    ),
  })
  .meta({ id: 'ReplayTable' });
export type ReplayTable = z.infer<typeof replayTableSchema>;
