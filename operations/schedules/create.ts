import type { Client } from '@temporalio/client';
import { BenchError } from '../../domain/errors.js';
import type { Schedules } from '../../domain/ports/schedules.js';
import { batchRequest, type BatchRequestInput } from '../../domain/requests/batch.js';
import { checkedRequest } from '../../domain/requests/checked.js';
import { scheduleName, type ScheduleRequest, scheduleRequestSchema } from '../../domain/requests/schedule.js';
import type { Schedule } from '../../domain/views/schedules.js';
import { createSchedule, ensureSchedule } from '../../temporal/schedules.js';
import { loadGroups, type LoadPorts } from '../batches/load-groups.js';
import { shownSchedule } from './show.js';

export type CreateSchedulePorts = LoadPorts & {
  schedules: Pick<Schedules, 'save' | 'setNext' | 'remove' | 'runs'>;
  renewWorker(): Promise<unknown>;
  temporal(): Promise<Client>;
};

/** Submits `batch` at each time of `cron`. Finds the mistakes that `submit` finds first. */
export async function createScheduleOf(
  ports: CreateSchedulePorts,
  name: string,
  { batch, ...input }: ScheduleRequest & { batch: BatchRequestInput },
): Promise<Schedule> {
  const request = checkedRequest(scheduleRequestSchema, input);
  const named = scheduleName.safeParse(name);
  if (!named.success)
    throw new BenchError('usage', `the name ${JSON.stringify(name)} ${named.error.issues[0]!.message}`, {
      code: 'request.invalid',
    });
  if (batch.name != null)
    throw new BenchError('usage', 'a scheduled batch has no name of its own', {
      code: 'request.invalid',
      remedy: `Leave the name out: batches are named ${name}-, followed by their time.`,
    });
  loadGroups(ports, batchRequest(batch).groups, { needKeys: true });
  await ports.renewWorker();
  const client = await ports.temporal();
  const stored = await ports.schedules.save({ name, ...request, request: batch });
  try {
    await createSchedule(client, stored);
  } catch (error) {
    // Of other failures, a worker creates it once Temporal answers.
    if (error instanceof BenchError) await ports.schedules.remove(name);
    throw error;
  }
  const { nextAt } = await ensureSchedule(client, stored);
  await ports.schedules.setNext(name, nextAt);
  return shownSchedule(ports, { ...stored, nextAt }, 0);
}
