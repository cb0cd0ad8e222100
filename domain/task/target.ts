import { z } from 'zod';

const TARGET_KINDS = ['optimum', 'best_known'] as const;

const targetShape = z.strictObject({
  /** Primary score that is worth a gain of 1. */
  value: z.number().optional(),
  /** On sample data. */
  sample: z.number().optional(),
  /** Nothing can be better except by chance; or nothing better was known at this version. */
  kind: z.enum(TARGET_KINDS).optional(),
  source: z.string().min(1).optional(),
});

/** A plain number also applies to sample data. */
export const targetSchema = z.union([
  z.number().transform((value): z.infer<typeof targetShape> => ({ value, sample: value })),
  targetShape.refine(({ value, sample }) => value !== undefined || sample !== undefined, {
    path: ['value'],
    message: 'a target has a value, or one on sample data; give either, or both',
  }),
]);
export type TaskTarget = z.infer<typeof targetShape>;

export function targetOnSample({ value: _, sample, ...rest }: TaskTarget): TaskTarget {
  return { ...rest, ...(sample !== undefined && { value: sample, sample }) };
}
