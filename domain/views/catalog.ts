import { z } from 'zod';
import { modelPriceSchema } from '../model/config.js';
import { taskSchema } from '../task/task.js';
import { validatedFileSchema } from './validated-file.js';
import { countSchema, directionSchema, modelKindSchema, scoreSchema, usdSchema } from './values.js';

export type { ConfigProblem, ValidatedFile } from './validated-file.js';

/** What there is in the configuration folders. */

/** Where an entry comes from; null: it has no file. */
const placeKeys = {
  origin: z
    .enum(['home', 'BENCH_CONFIGS', 'bundled'])
    .nullable()
    .describe('which folder it is of: `$BENCH_HOME/configs`, `$BENCH_CONFIGS`, or the one of bench'),
  file: z.string().nullable(),
  replaces: z.string().nullable().describe('the file of the same name that would count without it'),
};
const configPlaceSchema = z.strictObject(placeKeys);
/** Where an entry comes from. */
export type ConfigPlace = z.infer<typeof configPlaceSchema>;

const broken = z.array(validatedFileSchema);

const listedTaskSchema = z
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
    ...placeKeys,
    error: z.string().nullable().describe('why it cannot be used; the others are then null'),
  })
  .meta({ id: 'ListedTask' });
export type ListedTask = z.infer<typeof listedTaskSchema>;

export const tasksDocumentSchema = z.strictObject({ tasks: z.array(listedTaskSchema), broken });
export type TasksDocument = z.infer<typeof tasksDocumentSchema>;

export const taskDocumentSchema = taskSchema
  .extend({ dir: z.string(), contentHash: z.string() })
  .meta({ inWords: 'the keys of `task.yaml` with their defaults, and `dir`, `contentHash`' });
export type TaskDocument = z.infer<typeof taskDocumentSchema>;

const modelSchema = z
  .strictObject({
    name: z.string(),
    ...placeKeys,
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

export const modelsDocumentSchema = z.strictObject({ models: z.array(modelSchema), broken });
export type ModelsDocument = z.infer<typeof modelsDocumentSchema>;

const pricesCheckSchema = z
  .strictObject({
    model: z.string(),
    problem: z
      .enum(['missing', 'not_begun', 'unchecked', 'old'])
      .describe('no price; the first begins later; `pricesChecked` is missing, or more than 90 days ago'),
    from: z.string().nullable().describe('first day of the price in force'),
    checked: z.string().nullable().describe('`pricesChecked` of its file'),
  })
  .meta({ id: 'PricesCheck' });
export type PricesCheck = z.infer<typeof pricesCheckSchema>;

export const pricesChecksDocumentSchema = z.strictObject({ ok: z.boolean(), models: z.array(pricesCheckSchema) });
export type PricesChecksDocument = z.infer<typeof pricesChecksDocumentSchema>;

const modelTestSchema = z
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

const listedAgentSchema = z
  .strictObject({
    name: z.string(),
    ...placeKeys,
    description: z.string(),
    outputParser: z.string(),
    hash: z.string(),
  })
  .meta({ id: 'ListedAgent' });

export const agentsDocumentSchema = z.strictObject({ agents: z.array(listedAgentSchema), broken });
export type AgentsDocument = z.infer<typeof agentsDocumentSchema>;

export const validationDocumentSchema = z.strictObject({ valid: z.boolean(), files: z.array(validatedFileSchema) });
export type ValidationDocument = z.infer<typeof validationDocumentSchema>;
