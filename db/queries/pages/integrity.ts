import type { IntegrityPageRequest } from '../../../domain/ports/reading/integrity-pages.js';
import type { IntegrityPage, IntegritySummary } from '../../../domain/views/integrity.js';
import type { Statements } from '../../statements.js';
import { isoTimeOrNull } from '../summaries.js';
import { cursorOf, placeOf } from './cursor.js';

/** Events that say what a score may hang on. */
const TELLING = ['rerun_diverged', 'command_lost', 'network_request'];

type Row = Omit<IntegrityPage['flags'][number], 'endedAt'> & { endedAt: Date | null; place: string };

/** Flags with the step that fired them, of the newest runs first. */
export async function integrityFlags(run: Statements, request: IntegrityPageRequest): Promise<IntegrityPage> {
  const { rule, model, task, batch, after, limit } = request;
  const [, time, runId, last] = after === undefined ? [null, null, null, null] : placeOf(after, 'flags', 4);
  const rows = await run<Row>(
    'integrityFlags',
    `select m.run_id as "runId", r.batch_id as "batchId", r.model_name as model, r.task_id as task, r.attempt, m.rule, m.step,
       m.until, m.detail, left(s.action, 2000) as action, found.best_attempt as best,
       (select case v.direction when 'minimize' then min(e.primary_score) else max(e.primary_score) end
        from evaluations e where e.run_id = r.run_id and e.split = 'test' and e.status = 'ok') as "bestOfAll",
       coalesce(found.suspects, 0)::int as suspects, r.ended_at as "endedAt", r.created_at::text as place
     from integrity_flags m join runs r on r.run_id = m.run_id join task_versions v on v.content_hash = r.task_hash
     left join run_results found on found.run_id = r.run_id
     left join steps s on s.run_id = m.run_id and s.step = m.step
     where ($1::text[] is null or m.rule = any ($1)) and ($2::text[] is null or r.model_name = any ($2))
       and ($3::text[] is null or r.task_id = any ($3)) and ($4::text[] is null or r.batch_id = any ($4))
       and ($5::text is null or (r.created_at, r.run_id, m.rule) < ($5::timestamptz, $6::text, $7::text))
     order by r.created_at desc, r.run_id desc, m.rule desc limit $8`,
    [rule ?? null, model ?? null, task ?? null, batch ?? null, time, runId, last, limit + 1],
  );
  const shown = rows.slice(0, limit);
  const end = shown.at(-1);
  return {
    flags: shown.map(({ place: _place, ...row }) => ({ ...row, endedAt: isoTimeOrNull(row.endedAt) })),
    next: rows.length > limit && end !== undefined ? cursorOf(['flags', end.place, end.runId, end.rule]) : null,
  };
}

const countedBy = (value: string, from: string): string =>
  `(select coalesce(jsonb_agg(jsonb_build_object('value', value, 'runs', runs) order by runs desc, value), '[]')
    from (select ${value} as value, count(distinct r.run_id) as runs from ${from} group by 1) c)`;
const FLAGGED = 'integrity_flags m join runs r on r.run_id = m.run_id';

/** Which numbers must not be believed, counted. */
export async function integritySummary(run: Statements): Promise<IntegritySummary> {
  const [row] = await run<IntegritySummary>(
    'integritySummary',
    `select (select count(*)::int from runs where status = 'ended') as runs,
       (select count(distinct run_id)::int from integrity_flags) as flagged,
       (select coalesce(sum(suspects), 0)::int from run_results) as suspects,
       ${countedBy('m.rule', FLAGGED)} as rules, ${countedBy('r.model_name', FLAGGED)} as models, ${countedBy('r.task_id', FLAGGED)} as tasks,
       ${countedBy('r.model_name', `runs r where r.status = 'ended' and r.isolation = 'none'`)} as "withoutIsolation",
       (select coalesce(jsonb_agg(jsonb_build_object('task', task_id, 'contract', contract, 'selfReported', self_reported,
            'protectedFiles', coalesce(array_length(protected_files, 1), 0), 'runs', runs) order by runs desc, task_id, contract), '[]')
          from (select t.*, (select count(*) from runs r where r.task_id = t.task_id and r.contract = t.contract) as runs
                from task_integrity t) played where runs > 0) as reachable,
       (select coalesce(jsonb_agg(jsonb_build_object('endReason', end_reason, 'runs', runs, 'scored', scored) order by runs desc, end_reason), '[]')
          from (select r.end_reason, count(*) as runs, count(found.best_attempt) as scored
                from runs r left join run_results found on found.run_id = r.run_id
                where r.end_reason in ('infra_error', 'config_error', 'cancelled', 'budget') group by 1) f) as faults,
       (select coalesce(jsonb_agg(jsonb_build_object('kind', kind, 'events', events, 'runs', runs) order by events desc, kind), '[]')
          from (select kind, count(*) as events, count(distinct run_id) as runs from events where kind = any ($1::text[]) group by 1) t) as events`,
    [TELLING],
  );
  return row!;
}
