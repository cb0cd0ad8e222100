import { z } from 'zod';

const TARGET_KINDS = ['optimum', 'best_known'] as const;

const targetShape = z.strictObject({
  /** A score of the primary metric that is worth a gain of 1. */
  value: z.number().optional(),
  /** The same on sample data. */
  sample: z.number().optional(),
  /** Nothing can be better but by chance; or nothing better was known when this version was written. */
  kind: z.enum(TARGET_KINDS).optional(),
  /** Where it comes from, for people. */
  source: z.string().min(1).optional(),
});

/** What a score is measured against. A number alone holds on sample data too. */
export const targetSchema = z.union([
  z.number().transform((value): z.infer<typeof targetShape> => ({ value, sample: value })),
  targetShape.refine(({ value, sample }) => value !== undefined || sample !== undefined, {
    path: ['value'],
    message: 'a target has a value, or one on sample data; give either, or both',
  }),
]);
export type TaskTarget = z.infer<typeof targetShape>;

/** The target of the task on sample data. */
export function targetOnSample({ value: _, sample, ...rest }: TaskTarget): TaskTarget {
  return { ...rest, ...(sample !== undefined && { value: sample, sample }) };
}
