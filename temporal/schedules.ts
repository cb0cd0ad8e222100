import type { Client, ScheduleHandle } from '@temporalio/client';
import { BenchError } from '../domain/errors.js';
import type { ScheduledInput } from '../domain/model/messages.js';
import type { StoredSchedule } from '../domain/ports/schedules.js';
import type { Overlap } from '../domain/requests/schedule.js';
import { CONTROL_QUEUE, scheduleId } from '../domain/run/queues.js';

const OVERLAP = {
  skip: 'SKIP',
  'buffer-one': 'BUFFER_ONE',
  'buffer-all': 'BUFFER_ALL',
  'allow-all': 'ALLOW_ALL',
} as const satisfies Record<Overlap, string>;

/** A home that was down catches up with what was due meanwhile. */
const CATCH_UP = '1 day';

type Of = Pick<StoredSchedule, 'name' | 'cron' | 'overlap' | 'paused'>;

// Errors are compared by name: the client's classes are loaded on first use.
const isNamed = (error: unknown, name: string): boolean => error instanceof Error && error.name === name;

/** Replaces one that another database left. BenchError (usage): not a cron expression. */
export async function createSchedule(client: Client, { name, cron, overlap, paused }: Of): Promise<void> {
  const create = (): Promise<ScheduleHandle> =>
    client.schedule.create({
      scheduleId: scheduleId(name),
      spec: { cronExpressions: [cron] },
      policies: { overlap: OVERLAP[overlap], catchupWindow: CATCH_UP },
      action: {
        type: 'startWorkflow',
        workflowType: 'scheduledBatch',
        workflowId: scheduleId(name),
        taskQueue: CONTROL_QUEUE,
        args: [{ schedule: name } satisfies ScheduledInput],
      },
      state: { paused },
    });
  try {
    await create().catch(async (error: unknown) => {
      if (!isNamed(error, 'ScheduleAlreadyRunning')) throw error;
      await deleteSchedule(client, name);
      await create();
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new BenchError('usage', `"${cron}" is not a cron expression: ${error.message}`, {
      code: 'request.invalid',
      remedy: 'Write minute, hour, day of the month, month and day of the week, as in "0 2 * * *".',
    });
  }
}

/** Does nothing if there is none. */
export const deleteSchedule = (client: Client, name: string): Promise<void> =>
  client.schedule
    .getHandle(scheduleId(name))
    .delete()
    .catch((error: unknown) => {
      if (!isNamed(error, 'ScheduleNotFoundError')) throw error;
    });

/** Makes what Temporal lacks, and pauses or resumes what differs. Returns when it is due next. */
export async function ensureSchedule(
  client: Client,
  schedule: Of,
): Promise<{ handle: ScheduleHandle; nextAt: string | null }> {
  const handle = client.schedule.getHandle(scheduleId(schedule.name));
  const found = await handle.describe().catch((error: unknown) => {
    if (!isNamed(error, 'ScheduleNotFoundError')) throw error;
    return null;
  });
  if (found === null) await createSchedule(client, schedule);
  else if (found.state.paused !== schedule.paused) await (schedule.paused ? handle.pause() : handle.unpause());
  if (schedule.paused) return { handle, nextAt: null };
  const { info } = await handle.describe();
  return { handle, nextAt: info.nextActionTimes[0]?.toISOString() ?? null };
}

/** Names of all that Temporal has. */
export async function knownSchedules(client: Client): Promise<string[]> {
  const prefix = scheduleId('');
  const names: string[] = [];
  for await (const { scheduleId: id } of client.schedule.list())
    if (id.startsWith(prefix)) names.push(id.slice(prefix.length));
  return names;
}
