import { z } from 'zod';
import { evaluatorSchema } from './evaluator-spec.js';
import { submissionSchema } from './submission-contract.js';
import { networkSchema } from './task-network.js';
import { requirementsSchema } from './task-requirements.js';

const seconds = z.number().int().positive();

/** In the order in which a submission is scored on them. */
export const SPLITS = ['validation', 'test'] as const;
export type Split = (typeof SPLITS)[number];

const splitsSchema = z
  .array(z.enum(SPLITS))
  .refine((splits) => splits.includes('test'), 'needs test, which leaderboards use')
  .refine((splits) => new Set(splits).size === splits.length, 'names a split twice')
  .default(['test'])
  .transform((splits) => SPLITS.filter((split) => splits.includes(split)));

export const metricSchema = z.strictObject({
  direction: z.enum(['maximize', 'minimize']),
  description: z.string().min(1),
  unit: z.string().optional(),
  /** Scores outside [min, max] are impossible for an honest submission: they are marked `suspect`. */
  bounds: z.strictObject({ min: z.number().optional(), max: z.number().optional() }).optional(),
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
  /** What the agent is told; a nunjucks template over the task's fields. */
  description: z.string().min(1),
  metrics: z.record(z.string(), metricSchema).refine((m) => Object.keys(m).length > 0, 'at least one metric'),
  primary: z.string(),
  /** The score of the starter, from an exact calculation or a long run, with its standard error; for `tasks verify` and display. */
  baseline: z.strictObject({ value: z.number(), standardError: z.number().nonnegative() }).optional(),
  /** What is taken from the workspace. */
  submission: submissionSchema,
  evaluator: evaluatorSchema,
  /** What each submission is scored on. Agents are shown `validation` where it is declared; leaderboards use `test`. */
  splits: splitsSchema,
  limits: z
    .strictObject({
      /** One command, seconds: the limit of those that train, install or download something. */
      commandSeconds: seconds.default(1800),
      /** The limit of all others, if it is another one. */
      shortCommandSeconds: seconds.optional(),
      /** A command that prints nothing for so long is stopped. */
      silentSeconds: seconds.optional(),
      /** Programs that get `commandSeconds`, in place of those of domain/agent/command-limits.ts. */
      trainingPrograms: z.array(z.string().min(1)).optional(),
      /** What the workspace and the agent's other files may take. */
      workspaceMb: z.number().int().positive().default(20_480),
      memoryMb: z.number().int().positive().default(4096),
      cpus: z.number().positive().default(2),
      pids: z.number().int().positive().default(512),
    })
    .prefault({}),
  /** The agent's container; evaluators never have a network. */
  network: networkSchema,
  /** Packages in image layers of the task. */
  requirements: requirementsSchema.optional(),
  gpus: z.number().int().nonnegative().default(0),
});
export type TaskSpec = z.infer<typeof taskSchema>;
export type TaskSpecInput = z.input<typeof taskSchema>;

/** A task as it lies on disk. */
export interface TaskFolder {
  spec: TaskSpec;
  /** Absolute path of the folder. */
  dir: string;
  /** SHA-256 over every file's relative path, mode bit and bytes, hex. */
  contentHash: string;
}
