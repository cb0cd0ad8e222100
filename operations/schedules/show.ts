import type { Client } from '@temporalio/client';
import type { Schedules, StoredSchedule } from '../../domain/ports/schedules.js';
import type { Schedule, ShownSchedule } from '../../domain/views/schedules.js';
import { nextTime } from '../../temporal/schedules.js';

export interface ShowSchedulePorts {
  schedules: Pick<Schedules, 'find' | 'runs'>;
  temporal(): Promise<Client>;
}

const SHOWN = 1000;

/** With its request and outcomes. */
export async function showSchedule(ports: ShowSchedulePorts, name: string): Promise<ShownSchedule> {
  const stored = await ports.schedules.find(name);
  return { ...(await shownSchedule(ports, stored, SHOWN)), request: stored.request };
}

/** Without Temporal it has no next time. */
export async function shownSchedule(
  { schedules, temporal }: { schedules: Pick<Schedules, 'runs'>; temporal(): Promise<Client> },
  stored: StoredSchedule,
  limit: number,
): Promise<Schedule> {
  const { name, cron, overlap, paused, createdAt } = stored;
  const nextAt = await temporal()
    .then((client) => nextTime(client, stored))
    .catch(() => null);
  return { name, cron, overlap, paused, createdAt, nextAt, runs: await schedules.runs(name, limit) };
}
