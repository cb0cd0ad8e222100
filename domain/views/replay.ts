import { z } from 'zod';
import { recordingSchema } from '../recording.js';
import { runDetailSchema } from './runs.js';
import { countSchema, scoreSchema } from './values.js';

const differenceSchema = z.strictObject({
  line: countSchema,
  recorded: z.string().nullable(),
  now: z.string().nullable(),
});

export const replayedStepSchema = z
  .strictObject({
    step: countSchema,
    action: z.string(),
    state: z.enum(['same', 'diverges', 'refused', 'unfinished', 'not_played', 'added']),
    difference: differenceSchema.nullable().describe('the first line that differs, from 1'),
  })
  .meta({ id: 'ReplayedStep' });

const { format, leftOut, endedBy } = recordingSchema.shape;
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
      .strictObject({ hash: z.string(), format, leftOut, endedBy })
      .describe('`leftOut`: entries that are no replies'),
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
