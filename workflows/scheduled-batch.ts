import { log, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { ScheduleActivities, ScheduledInput } from '../domain/model/messages.js';
import { placementOptions } from './activity-options.js';

const { submitScheduled, decideScheduled } = proxyActivities<ScheduleActivities>(placementOptions);

/** One time of a schedule: its batch is submitted, and compared once it has ended. */
export async function scheduledBatch({ schedule }: ScheduledInput): Promise<void> {
  const dueAt = dueTime();
  if (dueAt === null) {
    log.warn('started by no schedule: nothing is submitted');
    return;
  }
  const { batchId } = await submitScheduled({ schedule, dueAt });
  if (batchId !== null) await decideScheduled({ schedule, dueAt });
}

/** The time that was due, also of a backfill; of a trigger, the time of that. */
function dueTime(): string | null {
  const [time] = workflowInfo().searchAttributes['TemporalScheduledStartTime'] ?? [];
  return time === undefined ? null : (time as { toISOString(): string }).toISOString();
}
