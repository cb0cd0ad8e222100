import { BenchError } from '../../domain/errors.js';
import type { DueRun, Schedules, StoredSchedule } from '../../domain/ports/schedules.js';
import { scheduledBatchName } from '../../domain/requests/schedule.js';
import { suggestion } from '../../domain/text/closest.js';
import type { ScheduleRun } from '../../domain/views/schedules.js';
import { isoTime, isoTimeOrNull } from '../queries/summaries.js';
import { type Statements, storable } from '../statements.js';

type ScheduleRow = Omit<StoredSchedule, 'createdAt' | 'nextAt'> & { createdAt: Date; nextAt: Date | null };
type RunRow = Omit<ScheduleRun, 'dueAt' | 'decidedAt'> & { dueAt: Date; decidedAt: Date | null };

const COLUMNS = 'name, cron, overlap, request, paused, next_at as "nextAt", created_at as "createdAt"';
const scheduleOf = (row: ScheduleRow): StoredSchedule => ({
  ...row,
  nextAt: isoTimeOrNull(row.nextAt),
  createdAt: isoTime(row.createdAt),
});

export const scheduleStore = (run: Statements): Schedules => ({
  save: (schedule) => saveSchedule(run, schedule),
  list: () => listSchedules(run),
  find: (name) => findSchedule(run, name),
  async setNext(name, nextAt) {
    await run('setNextTime', 'update schedules set next_at = $2 where name = $1', [name, nextAt]);
  },
  async setPaused(name, paused) {
    await findSchedule(run, name);
    await run('pauseSchedule', 'update schedules set paused = $2 where name = $1', [name, paused]);
  },
  async remove(name) {
    await findSchedule(run, name);
    await run('removeSchedule', 'delete from schedules where name = $1', [name]);
  },
  runs: (name, limit) => runsOf(run, name, limit),
  due: (name, dueAt) => dueRun(run, name, dueAt),
  async begin(name, dueAt, batchId) {
    await run(
      'beginScheduled',
      `insert into schedule_runs (schedule, due_at, batch_id) select name, $2, $3 from schedules where name = $1
       on conflict do nothing`,
      [name, dueAt, batchId],
    );
  },
  async decide(name, dueAt, { outcome, accepted, base, detail }) {
    await run(
      'decideScheduled',
      `insert into schedule_runs as r (schedule, due_at, outcome, accepted, base_batch_id, detail, decided_at)
       select name, $2::timestamptz, $3, $4, $5, $6, now() from schedules where name = $1
       on conflict (schedule, due_at) do update set outcome = excluded.outcome, accepted = excluded.accepted,
         base_batch_id = excluded.base_batch_id, detail = excluded.detail, decided_at = excluded.decided_at
       where r.outcome is null`,
      [name, dueAt, outcome, accepted, base, storable(detail)],
    );
  },
  acceptLast: (name) => acceptLast(run, name),
});

async function acceptLast(run: Statements, name: string): Promise<void> {
  await findSchedule(run, name);
  const rows = await run(
    'acceptLast',
    `update schedule_runs set accepted = true
     where schedule = $1 and due_at = (
       select max(due_at) from schedule_runs where schedule = $1 and outcome is not null and batch_id is not null
     ) returning 1`,
    [name],
  );
  if (rows.length === 0)
    throw new BenchError('usage', `no batch of ${name} has been compared yet`, {
      code: 'request.invalid',
      remedy: 'Wait until one has ended: bench schedule show ' + name,
    });
}

async function saveSchedule(
  run: Statements,
  { name, cron, overlap, request }: Parameters<Schedules['save']>[0],
): Promise<StoredSchedule> {
  const [row] = await run<ScheduleRow>(
    'saveSchedule',
    `insert into schedules (name, cron, overlap, request) values ($1, $2, $3, $4::jsonb)
     on conflict do nothing returning ${COLUMNS}`,
    [name, cron, overlap, JSON.stringify(request)],
  );
  if (row !== undefined) return scheduleOf(row);
  throw new BenchError('conflict', `a schedule "${name}" already exists`, {
    code: 'schedule.name_taken',
    remedy: `Choose another name, or delete it: bench schedule delete ${name}`,
  });
}

async function listSchedules(run: Statements): Promise<StoredSchedule[]> {
  const rows = await run<ScheduleRow>('listSchedules', `select ${COLUMNS} from schedules order by name`, []);
  return rows.map(scheduleOf);
}

async function findSchedule(run: Statements, name: string): Promise<StoredSchedule> {
  const all = await listSchedules(run);
  const found = all.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = all.map((one) => one.name);
  throw new BenchError('not_found', `no schedule "${name}"`, {
    code: 'schedule.not_found',
    remedy: suggestion(name, names),
  });
}

async function runsOf(run: Statements, name: string, limit: number): Promise<ScheduleRun[]> {
  const rows = await run<RunRow>(
    'scheduleRuns',
    `select due_at as "dueAt", batch_id as "batchId", base_batch_id as "baseBatchId", outcome, accepted, detail,
       decided_at as "decidedAt"
     from schedule_runs where schedule = $1 order by due_at desc limit $2`,
    [name, limit],
  );
  return rows.map((row) => ({ ...row, dueAt: isoTime(row.dueAt), decidedAt: isoTimeOrNull(row.decidedAt) }));
}

/** Finds a batch that was stored and not begun by its name, if this schedule is older. */
async function dueRun(run: Statements, name: string, dueAt: string): Promise<DueRun | null> {
  const [row] = await run<DueRun>(
    'dueRun',
    `select s.request, coalesce(r.batch_id, b.batch_id) as "batchId", r.outcome is not null as decided,
       (select a.batch_id from schedule_runs a where a.schedule = s.name and a.accepted and a.due_at < $2::timestamptz
        order by a.due_at desc limit 1) as base
     from schedules s
     left join schedule_runs r on r.schedule = s.name and r.due_at = $2::timestamptz
     left join batches b on b.name = $3 and b.created_at >= s.created_at
     where s.name = $1`,
    [name, dueAt, scheduledBatchName(name, dueAt)],
  );
  return row ?? null;
}
