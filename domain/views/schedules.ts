import { z } from 'zod';
import { OVERLAPS } from '../requests/schedule.js';
import { GATE_OUTCOMES } from '../statistics/gate.js';
import { batchIdSchema, timeSchema } from './values.js';

const scheduleRunSchema = z
  .strictObject({
    dueAt: timeSchema.describe('when it was due, also if a backfill submitted it later'),
    batchId: batchIdSchema.nullable().describe('null: it could not be submitted'),
    baseBatchId: batchIdSchema.nullable().describe('the last accepted one before it; null: none'),
    outcome: z.enum(GATE_OUTCOMES).nullable().describe('against that batch; null: its runs have not ended'),
    accepted: z.boolean().describe('whether later ones are compared with it'),
    detail: z.string().nullable().describe('the verdict, or why there is none, as a sentence'),
    decidedAt: timeSchema.nullable(),
  })
  .meta({ id: 'ScheduleRun', description: 'A batch that a schedule submitted.' });
export type ScheduleRun = z.infer<typeof scheduleRunSchema>;

export const scheduleSchema = z
  .strictObject({
    name: z.string(),
    cron: z.string(),
    overlap: z.enum(OVERLAPS),
    paused: z.boolean(),
    createdAt: timeSchema,
    nextAt: timeSchema.nullable().describe('null: it is paused, or never due again'),
    runs: z.array(scheduleRunSchema).describe('the last ones first; a list has five of each schedule'),
  })
  .meta({ id: 'Schedule' });
export type Schedule = z.infer<typeof scheduleSchema>;

export const schedulesDocumentSchema = z.strictObject({ schedules: z.array(scheduleSchema) });
export type SchedulesDocument = z.infer<typeof schedulesDocumentSchema>;

export const shownScheduleSchema = scheduleSchema
  .extend({ request: z.record(z.string(), z.unknown()).describe('of `bench submit`, with its defaults') })
  .meta({ id: 'ShownSchedule' });
export type ShownSchedule = z.infer<typeof shownScheduleSchema>;

export const changedScheduleSchema = z.strictObject({
  name: z.string(),
  change: z.enum(['paused', 'resumed', 'triggered', 'backfilled', 'accepted', 'deleted']),
});
export type ChangedSchedule = z.infer<typeof changedScheduleSchema>;
