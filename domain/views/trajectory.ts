import { z } from 'zod';
import { toolStateSchema } from '../agent/tool-state.js';
import { evaluationDetailSchema, runDetailSchema } from './runs.js';
import { countSchema, exitCodeSchema, timeSchema, usdSchema } from './values.js';

export const trajectoryStepSchema = z
  .strictObject({
    step: countSchema,
    copied: z.boolean().describe('from the run that it is a fork of'),
    response: z.string(),
    thought: z.string(),
    action: z.string().nullable().describe('null: no reply could be parsed, or a program got a text'),
    observation: z.string().nullable().describe('null: the command still runs'),
    exitCode: exitCodeSchema.nullable(),
    timedOut: z.boolean(),
    lost: z.boolean().describe('with its sandbox'),
    outputBytes: countSchema.nullable(),
    requested: z.enum(['validate', 'submit']).nullable().describe('by the command'),
    workingDir: z.string().nullable(),
    toolState: toolStateSchema.nullable().exactOptional(),
    commandMs: countSchema.nullable(),
    modelMs: countSchema.nullable(),
    costUsd: usdSchema,
    inputTokens: countSchema,
    outputTokens: countSchema,
    endpoint: z.string().nullable().describe('host and path'),
    evaluations: z.array(evaluationDetailSchema),
    at: timeSchema.describe('when the reply was stored'),
  })
  .meta({ id: 'Step' });
export type TrajectoryStep = z.infer<typeof trajectoryStepSchema>;

const { runId, batchId, model, task, workspace, endReason, forkedFrom, forkedAtStep } = runDetailSchema.shape;

export const trajectoryDocumentSchema = z
  .strictObject({
    ...{ runId, batchId, model, task, workspace, endReason, forkedFrom, forkedAtStep },
    steps: z.array(trajectoryStepSchema),
  })
  .meta({ id: 'Trajectory' });
export type TrajectoryDocument = z.infer<typeof trajectoryDocumentSchema>;
