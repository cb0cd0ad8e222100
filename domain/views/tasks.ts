import { z } from 'zod';
import { backendSchema, batchIdSchema, countSchema, runIdSchema } from './values.js';

/** What the verbs for tasks print; what tasks there are is of catalog.ts. */

const preparedTaskSchema = z
  .strictObject({
    task: z.string(),
    data: z
      .enum(['none', 'real', 'sample', 'missing', 'failed'])
      .describe('`none`: it needs none; `missing`: dry runs only'),
    bytes: countSchema.nullable().describe('of all files together'),
    hash: z.string().nullable(),
    dir: z.string().nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'PreparedTask' });
export type PreparedTask = z.infer<typeof preparedTaskSchema>;

export const preparationDocumentSchema = z.strictObject({ tasks: z.array(preparedTaskSchema) });
export type PreparationDocument = z.infer<typeof preparationDocumentSchema>;

const needSchema = z
  .strictObject({
    name: z.enum(['data', 'gpus', 'images', 'memory', 'disk']),
    status: z.enum(['ok', 'missing', 'build', 'none']).describe('`build`: made at submit; `none`: it needs none'),
    detail: z.string(),
    remedy: z.string().nullable().describe('the command or setting that fixes it'),
  })
  .meta({ id: 'Need' });
export type Need = z.infer<typeof needSchema>;

const checkedTaskSchema = z.strictObject({
  task: z.string(),
  profile: z.string().nullable(),
  ready: z.boolean(),
  needs: z.array(needSchema),
});
export type CheckedTask = z.infer<typeof checkedTaskSchema>;

export const taskChecksDocumentSchema = z.strictObject({ ready: z.boolean(), tasks: z.array(checkedTaskSchema) });
export type TaskChecksDocument = z.infer<typeof taskChecksDocumentSchema>;

const taskCheckSchema = z
  .strictObject({
    name: z.enum(['data', 'leaks', 'baseline', 'oracle', 'wrong', 'repeat', 'secrets', 'limits']),
    status: z.enum(['ok', 'failed', 'none']).describe('`none`: there is nothing to check'),
    detail: z.string(),
  })
  .meta({ id: 'TaskCheck' });
export type TaskCheck = z.infer<typeof taskCheckSchema>;

const playedBy = runIdSchema.nullable();
const verifiedTaskSchema = z.strictObject({
  task: z.string(),
  profile: z.string().nullable(),
  ok: z.boolean(),
  checks: z.array(taskCheckSchema),
  runs: z.strictObject({ baseline: playedBy, oracle: playedBy, spoiler: playedBy }),
});
export type VerifiedTask = z.infer<typeof verifiedTaskSchema>;

const verificationSchema = z.strictObject({
  batchId: batchIdSchema.nullable(),
  backend: backendSchema.nullable(),
  tasks: z.array(verifiedTaskSchema),
});
export type Verification = z.infer<typeof verificationSchema>;

export const verificationDocumentSchema = z.strictObject({ ok: z.boolean(), ...verificationSchema.shape });
export type VerificationDocument = z.infer<typeof verificationDocumentSchema>;

/** `next`: the commands to go on with. */
export const newTaskDocumentSchema = z.strictObject({
  task: z.string(),
  kind: z.enum(['game', 'questions', 'data', 'classification', 'regression', 'program']),
  dir: z.string(),
  files: z.array(z.string()),
  next: z.array(z.string()),
});
export type NewTaskDocument = z.infer<typeof newTaskDocumentSchema>;

const importProblemSchema = z.strictObject({
  file: z.string(),
  key: z.string(),
  message: z.string(),
  remedy: z.string(),
});
export type ImportProblem = z.infer<typeof importProblemSchema>;

const importedTaskSchema = z
  .strictObject({
    id: z.string().describe('as MLGym calls it'),
    task: z.string().nullable().describe('null: not imported, as `kind`'),
    status: z.enum(['imported', 'needs_data', 'not_imported']),
    kind: z.enum(['data', 'program']).nullable(),
    submission: z.array(z.string()),
    secrets: z.array(z.string()).describe('files that only the evaluator has'),
    next: z.string().nullable().describe('what to do before it can be submitted'),
    problems: z.array(importProblemSchema),
    notes: z.array(z.string()),
  })
  .meta({ id: 'ImportedTask' });
export type ImportedTask = z.infer<typeof importedTaskSchema>;

export const importedTasksDocumentSchema = z.strictObject({
  into: z.string(),
  dryRun: z.boolean(),
  tasks: z.array(importedTaskSchema),
});
export type ImportedTasksDocument = z.infer<typeof importedTasksDocumentSchema>;

const placedSchema = z
  .strictObject({
    file: z.string(),
    key: z.string().describe('where in the file; empty: as a whole'),
    reason: z.string(),
  })
  .meta({ id: 'HarborFinding' });
const evidenceSchema = z.strictObject({ file: z.string().nullable(), text: z.string() });

const harborTaskSchema = z
  .strictObject({
    task: z.string().describe('its folder'),
    name: z.string().nullable(),
    playable: z.boolean().describe('nothing is refused'),
    verification: z
      .enum(['clean-room', 'same-image', 'live'])
      .describe('what its tests need: the working folder, the whole file system, or running processes'),
    evidence: evidenceSchema
      .nullable()
      .describe('what in the tests says so; null: nothing speaks against a clean room'),
    workdir: z.string(),
    inProcess: evidenceSchema.nullable().describe("the agent's code runs in the tests' own process"),
    refusals: z.array(placedSchema),
    remarks: z.array(placedSchema),
  })
  .meta({ id: 'HarborTask' });
export type HarborTask = z.infer<typeof harborTaskSchema>;

export const harborSurveySchema = z.strictObject({ playable: countSchema, tasks: z.array(harborTaskSchema) });
export type HarborSurvey = z.infer<typeof harborSurveySchema>;

const importedHarborTaskSchema = harborTaskSchema
  .pick({ task: true, verification: true, refusals: true, remarks: true })
  .extend({
    id: z.string().nullable().describe('the new task; null: refused'),
    inProcess: z.boolean().describe("the agent's code runs in the tests' own process: scores are flagged `in_process`"),
  })
  .meta({ id: 'ImportedHarborTask' });
export type ImportedHarborTask = z.infer<typeof importedHarborTaskSchema>;

export const harborImportSchema = z.strictObject({
  into: z.string(),
  dryRun: z.boolean(),
  imported: countSchema,
  tasks: z.array(importedHarborTaskSchema),
});
export type HarborImport = z.infer<typeof harborImportSchema>;
