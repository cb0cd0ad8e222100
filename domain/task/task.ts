import { z } from 'zod';
import { evaluatorSchema } from './evaluator-spec.js';
import { SNAPSHOT_EVERY } from '../run/limits.js';
import { submissionSchema } from '../run/submission-contract.js';
import { dataSchema, type PreparedData } from './data.js';
import { networkSchema } from './network.js';
import { baselineSchema, gpusSchema, limitsSchema, oracleSchema, profilesSchema } from './profile.js';
import { requirementsSchema } from './requirements.js';
import { targetSchema } from './target.js';

/** In the order in which a submission is scored on them. */
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
  /** Scores outside [min, max] are impossible for an honest submission: they are marked `suspect`. */
  bounds: z.strictObject({ min: z.number().optional(), max: z.number().optional() }).optional(),
  /** How far two evaluations of the same files with the same seed may differ, as a share of the value; for what is measured, such as time. */
  noise: z.number().nonnegative().optional(),
});

/** `configs/tasks/<id>/task.yaml`. The folder also holds `starter/` and `evaluator/` (secret), and may hold `oracle/`. */
export const taskSchema = z.strictObject({
  /** Version of this file's format. */
  schema: z.literal(1),
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, 'letters, digits, - and _ only'),
  name: z.string().min(1),
  /** Bumped when scores of the old and the new form may not be compared. */
  contract: z.number().int().positive(),
  domain: z.string().min(1),
  /** The agent's prompt: a nunjucks template over the task's fields. */
  description: z.string().min(1),
  metrics: z.record(z.string(), metricSchema).refine((m) => Object.keys(m).length > 0, 'at least one metric'),
  primary: z.string(),
  baseline: baselineSchema.optional(),
  /** Known optimum, or the best score known: worth a gain of 1. Absent: leaderboards have no gains of it, and trainers' are in units of the baseline. */
  target: targetSchema.optional(),
  oracle: oracleSchema.optional(),
  /** What is taken from the workspace. */
  submission: submissionSchema,
  evaluator: evaluatorSchema,
  /** What each submission is scored on. Agents are shown `validation` where it is declared; leaderboards use `test`. */
  splits: splitsSchema,
  limits: limitsSchema,
  /** The agent's container; evaluators never have a network. */
  network: networkSchema,
  /** Data that are prepared beforehand, by prepare.py beside this file. */
  data: dataSchema.optional(),
  /** Packages in image layers of the task. */
  requirements: requirementsSchema.optional(),
  gpus: gpusSchema.default(0),
  /** Other budgets, by name: the profiles that a request may name. */
  profiles: profilesSchema.optional(),
  /**
   * What counts when a run ends without a submit: its files as they are; if those give no valid score, the last valid submission that it
   * validated; or the best of those in any case, by what the agent was shown.
   */
  onForcedEnd: z.enum(FORCED_END_POLICIES).default('current'),
  /** The workspace is kept after every so many steps, and at each validate; 0: never. Submissions may say otherwise. */
  snapshotEvery: z.number().int().nonnegative().default(SNAPSHOT_EVERY),
});
/** As a run's task is stored: with the profile that was put in; absent: none, it is the task as its file says. */
export const storedTaskSchema = taskSchema.extend({ profile: z.string().optional() });
export type TaskSpec = z.infer<typeof taskSchema> & {
  /** The profile that was put in; absent: none, it is the task as its file says. */
  profile?: string;
};
export type TaskSpecInput = z.input<typeof taskSchema>;

/** A task as it lies on disk. */
export interface TaskFolder {
  spec: TaskSpec;
  /** Absolute path of the folder. */
  dir: string;
  /** SHA-256 over every file's relative path, mode bit and bytes, hex; with prepared data, over that and their hash. */
  contentHash: string;
  /** Prepared data that belong to it; absent: it has none, or they were not looked up. */
  data?: PreparedData;
}
