import type { Schedules, StoredSchedule } from '../../domain/ports/schedules.js';
import type { Schedule, ShownSchedule } from '../../domain/views/schedules.js';

const SHOWN = 1000;

/** With its request and outcomes. */
export async function showSchedule(
  ports: { schedules: Pick<Schedules, 'find' | 'runs'> },
  name: string,
): Promise<ShownSchedule> {
  const stored = await ports.schedules.find(name);
  return { ...(await shownSchedule(ports, stored, SHOWN)), request: stored.request };
}

export async function shownSchedule(
  { schedules }: { schedules: Pick<Schedules, 'runs'> },
  { name, cron, overlap, paused, nextAt, createdAt }: StoredSchedule,
  limit: number,
): Promise<Schedule> {
  return { name, cron, overlap, paused, createdAt, nextAt, runs: await schedules.runs(name, limit) };
}
