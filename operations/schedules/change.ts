import type { Client } from '@temporalio/client';
import type { Schedules } from '../../domain/ports/schedules.js';
import { BenchError } from '../../domain/errors.js';
import { checkedRequest } from '../../domain/requests/checked.js';
import { backfillRequestSchema } from '../../domain/requests/schedule.js';
import type { ChangedSchedule } from '../../domain/views/schedules.js';
import { deleteSchedule, ensureSchedule } from '../../temporal/schedules.js';

export interface ChangeSchedulePorts {
  schedules: Pick<Schedules, 'find' | 'setPaused' | 'setNext' | 'remove' | 'acceptLast'>;
  renewWorker(): Promise<unknown>;
  temporal(): Promise<Client>;
}

/** Submits nothing until it is resumed, except by hand. */
export async function pauseSchedule(
  ports: ChangeSchedulePorts,
  name: string,
  paused: boolean,
): Promise<ChangedSchedule> {
  await ports.schedules.setPaused(name, paused);
  await handleOf(ports, name);
  return { name, change: paused ? 'paused' : 'resumed' };
}

/** Submits now, or as soon as the batch that is played has ended. */
export async function triggerSchedule(ports: ChangeSchedulePorts, name: string): Promise<ChangedSchedule> {
  const handle = await handleOf(ports, name);
  await ports.renewWorker();
  await handle.trigger('BUFFER_ALL');
  return { name, change: 'triggered' };
}

/** Submits one after the other what was due from one time to another, both included. */
export async function backfillSchedule(
  ports: ChangeSchedulePorts,
  name: string,
  request: { from: string; until: string },
): Promise<ChangedSchedule> {
  const { from, until } = checkedRequest(backfillRequestSchema, request);
  const [start, end] = [new Date(from), new Date(until)];
  if (end < start || end > new Date())
    throw new BenchError('usage', `a backfill from ${from} until ${until} is not of past times`, {
      code: 'request.invalid',
      remedy: 'Give two past times, the earlier one first.',
    });
  const handle = await handleOf(ports, name);
  await ports.renewWorker();
  // Temporal leaves out the time at which the range begins.
  await handle.backfill({ start: new Date(start.getTime() - 1), end, overlap: 'BUFFER_ALL' });
  return { name, change: 'backfilled' };
}

/** For a loss that is wanted: later batches are compared with the last one, which is worse. */
export async function acceptSchedule(
  { schedules }: Pick<ChangeSchedulePorts, 'schedules'>,
  name: string,
): Promise<ChangedSchedule> {
  await schedules.acceptLast(name);
  return { name, change: 'accepted' };
}

/** Batches stay; one that is played continues. */
export async function removeSchedule(ports: ChangeSchedulePorts, name: string): Promise<ChangedSchedule> {
  await ports.schedules.remove(name);
  await deleteSchedule(await ports.temporal(), name);
  return { name, change: 'deleted' };
}

async function handleOf(ports: ChangeSchedulePorts, name: string) {
  const schedule = await ports.schedules.find(name);
  const { handle, nextAt } = await ensureSchedule(await ports.temporal(), schedule);
  await ports.schedules.setNext(name, nextAt);
  return handle;
}
