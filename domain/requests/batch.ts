import { z } from 'zod';
import { DEFAULT_BREAKER } from '../run/end-cause.js';
import { BenchError } from '../errors.js';
import { BACKENDS } from '../run/run.js';
import { batchName, plainMessage, usd, whole, wholeOrFalse } from './fields.js';
import { groupSchema, type GroupRequest } from './run-options.js';

export const batchOptionsSchema = z.strictObject({
  name: batchName().nullable().default(null).describe('name of the batch; an identical batch of this name is resumed'),
  seed: whole(0, 2 ** 31)
    .default(42)
    .describe('seed of the batch; each run uses seed + attempt'),
  concurrency: whole(1, 10_000).default(8).describe('concurrent runs'),
  priority: whole(1, 5).default(3).describe('priority among batches, from 1 (first) to 5 (last)'),
  breaker: wholeOrFalse(1, 10_000, 'never pause the batch by itself')
    .default(DEFAULT_BREAKER)
    .describe('runs in a row that one fault of the infrastructure ends before the batch pauses itself'),
  budget: usd().nullable().default(null).describe('cap on what all runs together spend on model calls, in US dollars'),
  backend: z.enum(BACKENDS).nullable().default(null).meta({
    description: 'where agents run; default: docker or podman if it answers, else local for scripted models',
    placeholder: 'backend',
  }),
});
type BatchOptions = z.output<typeof batchOptionsSchema>;

/** Complete, apart from what tasks and models decide. */
export interface BatchRequest extends BatchOptions {
  groups: GroupRequest[];
}

export type BatchRequestInput = Partial<z.input<typeof batchOptionsSchema>> &
  GroupInput & {
    /** Instead of one group: each states its differences. */
    groups?: GroupInput[] | undefined;
  };
type GroupInput = Partial<z.input<typeof groupSchema>>;

/** Checked, without defaults. */
export type StatedRequest = Partial<BatchOptions> & Partial<GroupRequest> & { groups?: Partial<GroupRequest>[] };

/** Fields without defaults, which would hide what is stated for all groups. */
function stated(shape: z.ZodRawShape): z.ZodRawShape {
  const inner = (field: z.core.$ZodType): z.core.$ZodType =>
    field instanceof z.ZodDefault || field instanceof z.ZodOptional ? inner(field.unwrap()) : field;
  return Object.fromEntries(Object.entries(shape).map(([key, field]) => [key, z.optional(inner(field))]));
}

const requestSchema = (more: z.ZodRawShape): z.ZodType<StatedRequest, BatchRequestInput> =>
  z
    .strictObject({
      ...more,
      ...stated(batchOptionsSchema.shape),
      ...stated(groupSchema.shape),
      groups: z
        .array(z.strictObject(stated(groupSchema.shape)))
        .min(1)
        .optional(),
    })
    .superRefine((request, context) => {
      const { groups, ...forAll } = request as StatedRequest;
      for (const [nth, group] of (groups ?? [{}]).entries())
        for (const key of ['models', 'tasks'] as const)
          if ((group[key] ?? forAll[key]) === undefined)
            context.addIssue({
              code: 'custom',
              path: groups === undefined ? [key] : ['groups', nth, key],
              message: 'is missing; name at least one',
            });
    }) as unknown as z.ZodType<StatedRequest, BatchRequestInput>;

const batchRequestSchema = requestSchema({});
/** For files, which state their version. */
export const batchFileSchema = requestSchema({ version: z.literal(1) });

/** Applies defaults. */
export function wholeRequest(request: StatedRequest): BatchRequest {
  const of = (keys: object) => Object.fromEntries(Object.entries(request).filter(([key]) => key in keys));
  return {
    ...batchOptionsSchema.parse(of(batchOptionsSchema.shape)),
    groups: (request.groups ?? [{}]).map((group) => groupSchema.parse({ ...of(groupSchema.shape), ...group })),
  };
}

/** Throws BenchError (usage) that names each wrong key. */
export function batchRequest(input: BatchRequestInput): BatchRequest {
  const result = batchRequestSchema.safeParse(input, { error: plainMessage });
  if (result.success) return wholeRequest(result.data);
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new BenchError('usage', problems.join('\n'), {
    code: 'request.invalid',
    remedy: 'Correct these keys of the request.',
  });
}
