import { z } from 'zod';
import { modelPriceSchema } from '../model-config.js';
import { taskSchema } from '../task.js';
import { countSchema, directionSchema, modelKindSchema, scoreSchema, usdSchema } from './values.js';

/** What there is in the configuration folders. */

export const listedTaskSchema = z
  .strictObject({
    id: z.string(),
    name: z.string().nullable(),
    domain: z.string().nullable(),
    contract: countSchema.nullable(),
    primary: z.string().nullable(),
    direction: directionSchema.nullable(),
    baseline: scoreSchema,
    gpus: countSchema.nullable(),
    contentHash: z.string().nullable(),
    error: z.string().nullable().describe('why it cannot be used; the others are then null'),
  })
  .meta({ id: 'ListedTask' });
export type ListedTask = z.infer<typeof listedTaskSchema>;

export const tasksDocumentSchema = z.strictObject({ tasks: z.array(listedTaskSchema) });
export type TasksDocument = z.infer<typeof tasksDocumentSchema>;

export const taskDocumentSchema = taskSchema
  .extend({ dir: z.string(), contentHash: z.string() })
  .meta({ inWords: 'the keys of `task.yaml` with their defaults, and `dir`, `contentHash`' });
export type TaskDocument = z.infer<typeof taskDocumentSchema>;

export const modelSchema = z
  .strictObject({
    name: z.string(),
    aliases: z.array(z.string()),
    kind: modelKindSchema,
    description: z.string(),
    provider: z.string(),
    providerModel: z.string().nullable().describe('null: scripted, as all that follow'),
    contextWindow: countSchema.nullable(),
    maxOutputTokens: countSchema.nullable(),
    keyVariable: z.string().nullable(),
    keySet: z.boolean().nullable(),
    price: modelPriceSchema.nullable().describe('today, US dollars per million tokens'),
  })
  .meta({ id: 'Model' });

export const modelsDocumentSchema = z.strictObject({ models: z.array(modelSchema) });
export type ModelsDocument = z.infer<typeof modelsDocumentSchema>;

export const modelTestSchema = z
  .strictObject({
    model: z.string(),
    endpoint: z.string().nullable().describe('host and path that was asked'),
    ok: z.boolean(),
    ms: countSchema,
    costUsd: usdSchema,
    errorType: z.string().nullable().describe('as in `model_calls`, or `config`'),
    error: z.string().nullable(),
  })
  .meta({ id: 'ModelTest' });
export type ModelTest = z.infer<typeof modelTestSchema>;

export const modelTestsDocumentSchema = z.strictObject({ ok: z.boolean(), models: z.array(modelTestSchema) });
export type ModelTestsDocument = z.infer<typeof modelTestsDocumentSchema>;

export const listedAgentSchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  outputParser: z.string(),
  hash: z.string(),
});
export type ListedAgent = z.infer<typeof listedAgentSchema>;

export const agentsDocumentSchema = z.strictObject({ agents: z.array(listedAgentSchema) });
export type AgentsDocument = z.infer<typeof agentsDocumentSchema>;

export const configProblemSchema = z
  .strictObject({
    file: z.string(),
    line: countSchema.nullable().describe('from 1; null: the whole file'),
    key: z.string().describe('as `metrics.payoff.direction`; empty: the whole file'),
    message: z.string(),
  })
  .meta({ id: 'ConfigProblem' });
export type ConfigProblem = z.infer<typeof configProblemSchema>;

export const validatedFileSchema = z.strictObject({
  file: z.string(),
  kind: z.enum(['task', 'agent', 'commands', 'model', 'suite']),
  problems: z.array(configProblemSchema),
});
export type ValidatedFile = z.infer<typeof validatedFileSchema>;

export const validationDocumentSchema = z.strictObject({ valid: z.boolean(), files: z.array(validatedFileSchema) });
export type ValidationDocument = z.infer<typeof validationDocumentSchema>;
