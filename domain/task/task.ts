import { z } from 'zod';
import { evaluatorSchema } from './evaluator-spec.js';
import { SNAPSHOT_EVERY } from '../run/limits.js';
import { submissionSchema } from '../run/submission-contract.js';
import { dataSchema, type PreparedData } from './data.js';
import { networkSchema } from './network.js';
import { baselineSchema, gpusSchema, limitsSchema, oracleSchema, profilesSchema } from './profile.js';
import { requirementsSchema } from './requirements.js';
import { targetSchema } from './target.js';

/** In scoring order. */
export const SPLITS = ['validation', 'test'] as const;
export type Split = (typeof SPLITS)[number];

const FORCED_END_POLICIES = ['current', 'last_valid', 'best'] as const;

const splitsSchema = z
  .array(z.enum(SPLITS))
  .refine((splits) => splits.includes('test'), 'needs test, which leaderboards use')
  .refine((splits) => new Set(splits).size === splits.length, 'names a split twice')
  .default(['test'])
  .transform((splits) => SPLITS.filter((split) => splits.includes(split)));

const metricSchema = z.strictObject({
  direction: z.enum(['maximize', 'minimize']),
  description: z.string().min(1),
  unit: z.string().optional(),
  /** Scores outside [min, max] are impossible for honest submissions: marked `suspect`. */
  bounds: z.strictObject({ min: z.number().optional(), max: z.number().optional() }).optional(),
  /** Relative difference of equal evaluations; for measured values, such as time. */
  noise: z.number().nonnegative().optional(),
});

/** `configs/tasks/<id>/task.yaml`. The folder also has `starter/` and `evaluator/` (secret). */
export const taskSchema = z.strictObject({
  /** Version of the file format. */
  schema: z.literal(1),
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, 'letters, digits, - and _ only'),
  name: z.string().min(1),
  /** Raised when old and new scores are not comparable. */
  contract: z.number().int().positive(),
  domain: z.string().min(1),
  /** The agent's prompt: a nunjucks template over the task's fields. */
  description: z.string().min(1),
  metrics: z.record(z.string(), metricSchema).refine((m) => Object.keys(m).length > 0, 'at least one metric'),
  primary: z.string(),
  baseline: baselineSchema.optional(),
  /** Known optimum or best score. Absent: no gains; trainers use the baseline's unit. */
  target: targetSchema.optional(),
  oracle: oracleSchema.optional(),
  submission: submissionSchema,
  evaluator: evaluatorSchema,
  /** Agents see `validation` if declared; leaderboards use `test`. */
  splits: splitsSchema,
  limits: limitsSchema,
  network: networkSchema,
  /** Prepared in advance, by prepare.py in the same folder. */
  data: dataSchema.optional(),
  requirements: requirementsSchema.optional(),
  gpus: gpusSchema.default(0),
  /** Other budgets, by name. */
  profiles: profilesSchema.optional(),
  /**
   * What counts without a submit: the current files; if they have no valid score, the last valid
   * validated submission; or the best of those by the shown score.
   */
  onForcedEnd: z.enum(FORCED_END_POLICIES).default('current'),
  /** Steps between snapshots, besides those at validate; 0: none. Submissions may override it. */
  snapshotEvery: z.number().int().nonnegative().default(SNAPSHOT_EVERY),
});
/** As stored with a run. */
export const storedTaskSchema = taskSchema.extend({ profile: z.string().optional() });
export type TaskSpec = z.infer<typeof taskSchema> & {
  /** The applied profile; absent: the task as in its file. */
  profile?: string;
};
export type TaskSpecInput = z.input<typeof taskSchema>;

export interface TaskFolder {
  spec: TaskSpec;
  /** Absolute path. */
  dir: string;
  /** SHA-256 over relative paths, mode bits and bytes, and any prepared data's hash, hex. */
  contentHash: string;
  /** Absent: none, or not looked up. */
  data?: PreparedData;
}
