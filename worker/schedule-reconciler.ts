import type { Client } from '@temporalio/client';
import type { Schedules } from '../domain/ports/schedules.js';
import { deleteSchedule, ensureSchedule, knownSchedules } from '../temporal/schedules.js';

/**
 * Has Temporal follow the rows, after a lost store or a command that was cut off, and notes when
 * each schedule is due next.
 */
export const scheduleReconciler =
  ({ client, schedules }: { client: Client; schedules: Pick<Schedules, 'list' | 'setNext'> }) =>
  async (): Promise<void> => {
    // Read first: a schedule has its row before Temporal has it.
    const known = await knownSchedules(client);
    const stored = await schedules.list();
    for (const schedule of stored) {
      const { nextAt } = await ensureSchedule(client, schedule);
      if (nextAt !== schedule.nextAt) await schedules.setNext(schedule.name, nextAt);
    }
    const names = new Set(stored.map(({ name }) => name));
    for (const name of known) if (!names.has(name)) await deleteSchedule(client, name);
  };
