import { z } from 'zod';
import { requirementsSchema } from './requirements.js';

const seconds = z.number().int().positive();

const scoreShape = { value: z.number(), standardError: z.number().nonnegative() };
const scoreSchema = z.strictObject(scoreShape);

/** The score of the starter, from an exact calculation or a long run, with its standard error; for `tasks verify` and display. */
export const baselineSchema = z
  .strictObject({
    /** Without: the first finished run of `scripted:baseline` tells it, once for each version of the task. */
    value: scoreShape.value.optional(),
    standardError: scoreShape.standardError.optional(),
    /** Makes the submission out of the starter; absent: the starter is one. */
    command: z.string().min(1).optional(),
    /** The value was published without what makes it: nothing in the folder can repeat it. */
    reported: z.literal(true).optional(),
    /** On sample data. */
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

/** How the solution in oracle/ is played; absent: its files are the submission. */
export const oracleSchema = z.strictObject({
  /** Makes the submission out of the starter with oracle/ copied over it. */
  command: z.string().min(1),
});

const limitsShape = z.strictObject({
  /** One command, seconds: the limit of those that train, install or download something. */
  commandSeconds: seconds.default(1800),
  /** The limit of all others, if it is another one. */
  shortCommandSeconds: seconds.optional(),
  /** The whole run, seconds, where its request names no time; without: no limit. */
  wallSeconds: seconds.optional(),
  /** A command that prints nothing for so long is stopped. */
  silentSeconds: seconds.optional(),
  /** Programs that get `commandSeconds`, in place of those of domain/agent/command-limits.ts. */
  trainingPrograms: z.array(z.string().min(1)).optional(),
  /** What the workspace and the agent's other files may take. */
  workspaceMb: z.number().int().positive().default(20_480),
  memoryMb: z.number().int().positive().default(4096),
  cpus: z.number().positive().default(2),
  pids: z.number().int().positive().default(512),
});
export const limitsSchema = limitsShape.prefault({});

export const gpusSchema = z.number().int().nonnegative();

/** The task as it is, without any profile. */
export const DEFAULT_PROFILE = 'default';
/** Implied by sample data, where a task has it. */
const SAMPLE_PROFILE = 'cpu';

/** The profile that is meant; null or undefined: none was named. */
export const profileMeant = (named: string | null | undefined, sample: boolean): string =>
  named ?? (sample ? SAMPLE_PROFILE : DEFAULT_PROFILE);

/** Another budget for the same task: what is named here stands, whole, in place of the task's key of the same name. */
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
