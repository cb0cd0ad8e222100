import { z } from 'zod';
import { BACKENDS } from '../domain/run.js';
import { readYaml } from './yaml-file.js';

const whole = (min: number, max: number) => z.number().int().min(min).max(max);
const names = z.array(z.string().min(1)).min(1);
/** Numbers in YAML are floats: money is taken as it was written, with at most ten decimals. */
const usd = z.preprocess(
  (value) => (typeof value === 'number' ? String(value) : value),
  z
    .string()
    .regex(/^\d{1,9}(\.\d{1,10})?$/, { error: 'must be US dollars above zero: 5, 0.25', abort: true })
    .refine((text) => Number(text) > 0, 'must be US dollars above zero: 5, 0.25'),
);
const seconds = z.preprocess(
  (value) => (typeof value === 'number' ? String(value) : value),
  z
    .string()
    .regex(/^\d+(s|m|h)?$/, 'must be seconds, or as 90s, 30m, 2h')
    .transform((text) => Number.parseInt(text, 10) * (text.endsWith('h') ? 3600 : text.endsWith('m') ? 60 : 1)),
);

/** How runs are played; in a group: instead of what the file says for all. */
const play = {
  models: names.optional(),
  tasks: names.optional(),
  agent: z.string().min(1).optional(),
  attempts: whole(1, 10_000).optional(),
  maxSteps: whole(1, 100_000).optional(),
  wallTime: seconds.optional(),
  gpusPerRun: whole(0, 64).optional(),
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  maxOutputTokens: whole(1, 100_000_000).optional(),
  allowUnpriced: z.boolean().optional(),
  costLimit: usd.optional(),
  tokenLimit: whole(0, Number.MAX_SAFE_INTEGER).optional(),
  memory: z.boolean().optional(),
  snapshotEvery: whole(0, 100_000).optional(),
  sample: z.boolean().optional(),
  profile: z.string().min(1).optional(),
  skipUnavailable: z.boolean().optional(),
};

/** `bench submit -f batch.yaml` */
export const batchFileSchema = z
  .strictObject({
    version: z.literal(1),
    name: z
      .string()
      .regex(
        /^(?![br]-)[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
        'must be letters, digits, dots, - and _, at most 100, not beginning with b- or r-',
      )
      .optional(),
    seed: whole(0, 2 ** 31).optional(),
    concurrency: whole(1, 10_000).optional(),
    priority: whole(1, 5).optional(),
    budget: usd.optional(),
    backend: z.enum(BACKENDS).optional(),
    ...play,
    /** Absent: the file is one group. */
    groups: z.array(z.strictObject(play)).min(1).optional(),
  })
  .superRefine((file, context) => {
    for (const [nth, group] of (file.groups ?? [{}]).entries())
      for (const key of ['models', 'tasks'] as const)
        if ((group[key] ?? file[key]) === undefined)
          context.addIssue({
            code: 'custom',
            path: file.groups === undefined ? [key] : ['groups', nth, key],
            message: 'is missing; name at least one',
          });
  });
type BatchFile = z.infer<typeof batchFileSchema>;
export type BatchFilePlay = NonNullable<BatchFile['groups']>[number];

/** A checked batch file; each group holds what it says itself, else what the file says for all. */
export function loadBatchFile(file: string): Omit<BatchFile, 'groups'> & { groups: BatchFilePlay[] } {
  const { value } = readYaml(file, batchFileSchema);
  const forAll = Object.fromEntries(
    Object.keys(play).map((key) => [key, value[key as keyof BatchFilePlay]]),
  ) as BatchFilePlay;
  return { ...value, groups: (value.groups ?? [{}]).map((group) => ({ ...forAll, ...group })) };
}
