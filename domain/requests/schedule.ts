import { z } from 'zod';

/** What happens at a time at which the last run has not ended. */
export const OVERLAPS = ['skip', 'buffer-one', 'buffer-all', 'allow-all'] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** Batches are named after their schedule, with the time. */
export const scheduleName = z
  .string()
  .regex(
    /^(?![br]-)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'must be letters, digits, dots, - and _, at most 64, not beginning with b- or r-',
  );

export const scheduleRequestSchema = z.strictObject({
  cron: z.string().min(1).max(200).meta({
    description:
      'when to submit, as `minute hour day month weekday` in UTC; `CRON_TZ=Europe/Paris 0 2 * * *` elsewhere',
    placeholder: 'expression',
  }),
  overlap: z
    .enum(OVERLAPS, { error: `must be one of ${OVERLAPS.join(', ')}` })
    .default('skip')
    .describe('what happens at a time at which the last batch has not ended'),
});
export type ScheduleRequest = z.input<typeof scheduleRequestSchema>;

const time = z.iso.datetime({ offset: true, error: 'must be a time, as 2026-01-31T02:00:00Z' });
export const backfillRequestSchema = z.strictObject({ from: time, until: time });

/** `nightly-20260131T020000Z` */
export const scheduledBatchName = (schedule: string, dueAt: string): string =>
  `${schedule}-${dueAt.replace(/\.\d+Z$/, 'Z').replaceAll(/[-:]/g, '')}`;
