import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { ScheduleActivities, ScheduledAt } from '../domain/model/messages.js';

/** On the control queue: batches of schedules. */
export const scheduleActivities = (ports: {
  submit(at: ScheduledAt): Promise<{ batchId: string | null }>;
  decide(at: ScheduledAt): Promise<{ decided: boolean }>;
}): ScheduleActivities => ({
  submitScheduled: (at) => ports.submit(at),
  async decideScheduled(at) {
    if ((await ports.decide(at)).decided) return;
    // Retries add nothing to the history of a batch that plays all night.
    throw ApplicationFailure.create({
      message: `the batch of ${at.schedule} at ${at.dueAt} has not ended`,
      category: ApplicationFailureCategory.BENIGN,
    });
  },
});
