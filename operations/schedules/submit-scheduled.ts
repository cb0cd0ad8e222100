import { BenchError } from '../../domain/errors.js';
import type { ScheduledAt } from '../../domain/model/messages.js';
import type { Schedules } from '../../domain/ports/schedules.js';
import { scheduledBatchName } from '../../domain/requests/schedule.js';
import { submitBatch, type SubmitPorts } from '../batches/submit-batch.js';

export type SubmitScheduledPorts = SubmitPorts & { schedules: Pick<Schedules, 'due' | 'begin' | 'decide'> };

/**
 * Submits the batch of one time of a schedule, once, however often it is called. Mistakes that need
 * a person become the run's outcome; outages are thrown. Null: nothing plays.
 */
export async function submitScheduled(
  ports: SubmitScheduledPorts,
  { schedule, dueAt }: ScheduledAt,
): Promise<{ batchId: string | null }> {
  const { schedules } = ports;
  const due = await schedules.due(schedule, dueAt);
  if (due === null || due.decided) return { batchId: null };
  try {
    const name = scheduledBatchName(schedule, dueAt);
    const batchId = due.batchId ?? (await submitBatch(ports, { ...due.request, name })).batchId;
    await schedules.begin(schedule, dueAt, batchId);
    return { batchId };
  } catch (error) {
    if (!(error instanceof BenchError) || error.type === 'services') throw error;
    const detail = [error.message, ...(error.remedy === undefined ? [] : [error.remedy])].join('. ');
    await schedules.decide(schedule, dueAt, { outcome: 'failed', accepted: false, base: null, detail });
    return { batchId: null };
  }
}
