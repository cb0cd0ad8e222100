import { z } from 'zod';
import { requirementsSchema } from './requirements.js';

const seconds = z.number().int().positive();

const scoreShape = { value: z.number(), standardError: z.number().nonnegative() };
const scoreSchema = z.strictObject(scoreShape);

/** The starter's score, exact or from a long run; for `tasks verify` and display. */
export const baselineSchema = z
  .strictObject({
    /** Absent: measured by the first finished run of `scripted:baseline`, per task version. */
    value: scoreShape.value.optional(),
    standardError: scoreShape.standardError.optional(),
    /** Makes the submission from the starter; absent: the starter is one. */
    command: z.string().min(1).optional(),
    /** A published value that nothing in the folder can reproduce. */
    reported: z.literal(true).optional(),
    sample: scoreSchema.optional(),
  })
  .refine(({ value, standardError }) => (value === undefined) === (standardError === undefined), {
    path: ['standardError'],
    message: 'value and standardError belong together; give both, or neither',
  })
  .refine(({ reported, value, command }) => reported === undefined || (value !== undefined && command === undefined), {
    path: ['reported'],
    message: 'a reported baseline has a value, and no command that makes it; remove reported, or the command',
  });
export type TaskBaseline = z.infer<typeof baselineSchema>;

/** Absent: the files in oracle/ are the submission. */
export const oracleSchema = z.strictObject({
  /** Makes the submission out of the starter with oracle/ copied over it. */
  command: z.string().min(1),
});

const limitsShape = z.strictObject({
  /** For commands that train, install or download. */
  commandSeconds: seconds.default(1800),
  /** For all others, if different. */
  shortCommandSeconds: seconds.optional(),
  /** For the whole run, unless its request states one; absent: no limit. */
  wallSeconds: seconds.optional(),
  /** Stops a command after so long without output. */
  silentSeconds: seconds.optional(),
  /** Programs that get `commandSeconds`, instead of those of domain/agent/command-limits.ts. */
  trainingPrograms: z.array(z.string().min(1)).optional(),
  /** For the workspace and the agent's other files. */
  workspaceMb: z.number().int().positive().default(20_480),
  memoryMb: z.number().int().positive().default(4096),
  cpus: z.number().positive().default(2),
  pids: z.number().int().positive().default(512),
});
export const limitsSchema = limitsShape.prefault({});

export const gpusSchema = z.number().int().nonnegative();

/** The task without any profile. */
export const DEFAULT_PROFILE = 'default';
/** Implied by sample data, if the task has it. */
const SAMPLE_PROFILE = 'cpu';

/** Null or undefined: none was named. */
export const profileMeant = (named: string | null | undefined, sample: boolean): string =>
  named ?? (sample ? SAMPLE_PROFILE : DEFAULT_PROFILE);

/** Another budget for the same task: each key replaces the task's key as a whole. */
const profileSchema = z.strictObject({
  gpus: gpusSchema.optional(),
  limits: limitsShape.optional(),
  requirements: requirementsSchema.optional(),
  baseline: baselineSchema.optional(),
  oracle: oracleSchema.optional(),
});
export type TaskProfile = z.infer<typeof profileSchema>;

export const profilesSchema = z.record(
  z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]*$/, 'lower-case letters, digits, - and _ only')
    .refine(
      (name) => name !== DEFAULT_PROFILE,
      `${DEFAULT_PROFILE} is the task without a profile; choose another name`,
    ),
  profileSchema,
);
