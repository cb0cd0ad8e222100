import type { Schedules } from '../../domain/ports/schedules.js';
import type { Schedule } from '../../domain/views/schedules.js';
import { shownSchedule } from './show.js';

export interface ListSchedulesPorts {
  schedules: Pick<Schedules, 'list' | 'runs'>;
}

/** Outcomes of each. */
const LAST = 5;

/** By name. */
export async function listSchedules(ports: ListSchedulesPorts): Promise<Schedule[]> {
  const all = await ports.schedules.list();
  return Promise.all(all.map((one) => shownSchedule(ports, one, LAST)));
}
