import type { NotificationKind } from '../../domain/home/notifications.js';
import type { Notifications, DueNotification } from '../../domain/ports/notifications.js';
import type { NotificationRow } from '../../domain/views/notifications.js';
import { isoTime, isoTimeOrNull } from '../queries/summaries.js';
import { type Statements, storable } from '../statements.js';

type Row = Omit<NotificationRow, 'createdAt' | 'sentAt' | 'dueAt'> & {
  createdAt: Date;
  sentAt: Date | null;
  dueAt: Date | null;
};

/** A dying worker's row goes to another worker a minute later. */
export const notificationStore = (run: Statements): Notifications => ({
  begin: () => beginNotifications(run),
  end: () => endNotifications(run),
  collect: (of) => collectNotifications(run, of),
  take: (most) => takeNotifications(run, most),
  sent: (notificationId) => notificationSent(run, notificationId),
  failed: (notificationId, error, retrySeconds) => notificationFailed(run, notificationId, error, retrySeconds),
  list: (limit) => listNotifications(run, limit),
});

async function beginNotifications(run: Statements): Promise<void> {
  await run('notifyFrom', 'update installation set notify_from = now() where notify_from is null', []);
}

async function endNotifications(run: Statements): Promise<void> {
  await run(
    'notifyNobody',
    `with off as (update installation set notify_from = null where notify_from is not null)
         update notifications set given_up_at = now(), error = coalesce(error, 'no webhook was set any more')
         where sent_at is null and given_up_at is null`,
    [],
  );
}

/** Not imported, not of `tasks verify`, not played by trainers. */
const OF_PEOPLE = `b.origin = 'bench' and not b.verification and not b.training and b.parent_batch is null`;

async function collectNotifications(
  run: Statements,
  { kinds, stallSeconds }: { kinds: readonly NotificationKind[]; stallSeconds: number },
): Promise<void> {
  await run(
    'collectNotifications',
    `insert into notifications (notification_id, batch_id, kind, key)
         select 'n-' || gen_random_uuid(), found.batch_id, found.kind, found.key
         from installation i
         cross join lateral (
           select b.batch_id, 'ended' as kind, b.ended_at::text as key
           from batches b
           where b.status in ('ended', 'cancelled') and b.ended_at >= i.notify_from and ${OF_PEOPLE}
           union all
           select b.batch_id, 'budget_exhausted', b.budget_usd::text
           from batches b
           where (b.status = 'running' or b.ended_at >= i.notify_from) and b.budget_usd is not null and ${OF_PEOPLE}
             and exists (
               select from runs r
               where r.batch_id = b.batch_id and r.end_reason = 'budget' and r.met_budget_usd = b.budget_usd
                 and r.ended_at >= i.notify_from
             )
           union all
           select b.batch_id, 'paused', b.paused_at::text
           from batches b
           where b.pause_reason is not null and b.paused_at >= i.notify_from and ${OF_PEOPLE}
           union all
           select b.batch_id, 'stalled', moved.at::text
           from batches b
           cross join lateral (
             select greatest(max(r.updated_at), b.created_at) as at from runs r
               where r.batch_id = b.batch_id or r.batch_id in (select n.batch_id from batches n where n.parent_batch = b.batch_id)
           ) moved
           where b.status in ('queued', 'running') and b.paused_at is null and ${OF_PEOPLE}
             and moved.at >= i.notify_from and moved.at < now() - make_interval(secs => $2)
           union all
           select b.batch_id, 'regression', extract(epoch from s.due_at)::text
           from schedule_runs s join batches b on b.batch_id = s.batch_id
           where s.outcome = 'worse' and s.decided_at >= i.notify_from
         ) found
         where found.kind = any ($1::text[])
         on conflict do nothing`,
    [kinds, stallSeconds],
  );
}

async function takeNotifications(run: Statements, most: number): Promise<DueNotification[]> {
  return run<DueNotification>(
    'takeNotifications',
    `update notifications n set due_at = now() + interval '1 minute', tries = n.tries + 1
         from (
           select notification_id from notifications
           where sent_at is null and given_up_at is null and due_at <= now()
           order by created_at limit $1 for update skip locked
         ) due
         where n.notification_id = due.notification_id
         returning n.notification_id as "notificationId", n.batch_id as "batchId", n.kind, n.tries,
           case when n.kind = 'regression' then
             (select s.detail from schedule_runs s where s.batch_id = n.batch_id and s.outcome = 'worse' limit 1)
           end as detail`,
    [most],
  );
}

async function notificationSent(run: Statements, notificationId: string): Promise<void> {
  await run('notificationSent', 'update notifications set sent_at = now(), error = null where notification_id = $1', [
    notificationId,
  ]);
}

async function notificationFailed(
  run: Statements,
  notificationId: string,
  error: string,
  retrySeconds: number | null,
): Promise<void> {
  await run(
    'notificationFailed',
    `update notifications set error = $2, due_at = now() + make_interval(secs => coalesce($3::float8, 0)),
           given_up_at = case when $3::float8 is null then now() end
         where notification_id = $1 and sent_at is null`,
    [notificationId, storable(error), retrySeconds],
  );
}

async function listNotifications(run: Statements, limit: number): Promise<NotificationRow[]> {
  const rows = await run<Row>(
    'listNotifications',
    `select notification_id as "notificationId", batch_id as "batchId", kind, tries, error,
           case when sent_at is not null then 'sent' when given_up_at is not null then 'given_up' else 'waiting' end as state,
           created_at as "createdAt", sent_at as "sentAt",
           case when sent_at is null and given_up_at is null then due_at end as "dueAt"
         from notifications order by created_at desc, notification_id limit $1`,
    [limit],
  );
  return rows.map((row) => ({
    ...row,
    createdAt: isoTime(row.createdAt),
    sentAt: isoTimeOrNull(row.sentAt),
    dueAt: isoTimeOrNull(row.dueAt),
  }));
}
