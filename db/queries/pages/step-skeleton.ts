import { STEP_BADGES } from '../../../domain/run/step-badges.js';
import type { StepColumns, StepEvaluation, StepSkeleton } from '../../../domain/views/steps.js';
import type { RunStatus } from '../../../domain/run/outcomes.js';
import type { Statements } from '../../statements.js';
import { missingRun } from '../../store/missing.js';
import { isoTime } from '../summaries.js';

/**
 * Columns of steps after one. No text is fetched whole: sizes come from the texts' headers, and of
 * an action only what its category needs is read.
 */
const COLUMNS = (which: string): string => `
  select s.step, floor(extract(epoch from s.created_at) * 1000)::float8 as at,
    action_category(left(s.action, 2000)) as category, s.exit_code as "exitCode",
    (case when s.step <= coalesce(r.forked_at_step, 0) then ${STEP_BADGES.copied} else 0 end
      | case when s.lost then ${STEP_BADGES.lost} else 0 end | case when s.timed_out then ${STEP_BADGES.timedOut} else 0 end
      | case when s.observation is null and s.action is not null and r.status <> 'ended' then ${STEP_BADGES.running} else 0 end
      | case when s.action is null and s.thought = '' and s.observation is null then ${STEP_BADGES.unreadable} else 0 end) as badges,
    s.requested, octet_length(s.thought) as "thoughtBytes", coalesce(octet_length(s.action), 0) as "actionBytes",
    coalesce(octet_length(s.observation), 0) as "observationBytes", s.output_bytes::float8 as "outputBytes",
    s.model_ms as "modelMs", s.command_ms as "commandMs", trim_scale(coalesce(c.usd, 0))::text as "costUsd",
    coalesce(c.tokens, 0)::float8 as tokens, e.primary_score as score
  from runs r
  join steps s on s.run_id = r.run_id and ${which}
  left join (
    select step, sum(cost_usd) as usd, sum(coalesce(input_tokens, 0) + coalesce(output_tokens, 0)) as tokens
    from model_calls where run_id = $1 and status = 'confirmed' group by step
  ) c on c.step = s.step
  left join (
    select distinct on (step) step, primary_score from evaluations
    where run_id = $1 and split = 'test' and status not in ('pending', 'not_run') order by step, number desc
  ) e on e.step = s.step
  where r.run_id = $1
  order by s.step`;

const NAMES = [
  'step',
  'at',
  'category',
  'exitCode',
  'badges',
  'requested',
  'thoughtBytes',
  'actionBytes',
  'observationBytes',
  'outputBytes',
  'modelMs',
  'commandMs',
  'costUsd',
  'tokens',
  'score',
] as const satisfies readonly (keyof StepColumns)[];

const listed = (which: string, limit: string): string =>
  `select json_build_object(${NAMES.map((name) => `'${name}', coalesce(json_agg(k."${name}"), '[]')`).join(', ')}) as columns
   from (${COLUMNS(which)} ${limit}) k`;

/** Columns of the steps that are named. */
export async function stepColumns(run: Statements, runId: string, steps: readonly number[]): Promise<StepColumns> {
  const [row] = await run<{ columns: StepColumns }>('stepColumns', listed('s.step = any ($2::int[])', ''), [
    runId,
    steps,
  ]);
  return row!.columns;
}

interface Head {
  status: RunStatus;
  total: number;
  flags: StepSkeleton['flags'];
  forks: { runId: string; step: number }[];
}

/** Steps after this one, without their texts. */
export async function stepSkeleton(
  run: Statements,
  runId: string,
  { after, limit }: { after: number; limit: number },
): Promise<StepSkeleton> {
  const [[head], [body]] = await Promise.all([
    run<Head>(
      'skeletonHead',
      `select r.status, r.step as total,
         (select coalesce(jsonb_agg(jsonb_build_object('rule', m.rule, 'step', m.step, 'until', m.until, 'detail', m.detail) order by m.rule), '[]')
          from integrity_flags m where m.run_id = r.run_id) as flags,
         (select coalesce(jsonb_agg(jsonb_build_object('runId', f.run_id, 'step', f.forked_at_step) order by f.forked_at_step, f.run_id), '[]')
          from runs f where f.forked_from = r.run_id) as forks
       from runs r where r.run_id = $1`,
      [runId],
    ),
    run<{ columns: StepColumns }>('stepSkeleton', listed('s.step > $2', 'limit $3'), [runId, after, limit]),
  ]);
  if (head === undefined) throw missingRun(runId);
  const columns = body!.columns;
  const last = columns.step.at(-1) ?? after;
  const more = columns.step.length === limit && (await hasStepAfter(run, runId, last));
  const [evaluations, events] = await Promise.all([
    evaluationsOf(run, runId, after, more ? last : null),
    eventsOf(run, runId, after, more ? last : null),
  ]);
  return { runId, ...head, columns, evaluations, events: placed(events, columns, after), next: more ? last : null };
}

async function hasStepAfter(run: Statements, runId: string, step: number): Promise<boolean> {
  const rows = await run('hasStepAfter', 'select from steps where run_id = $1 and step > $2 limit 1', [runId, step]);
  return rows.length > 0;
}

async function evaluationsOf(
  run: Statements,
  runId: string,
  after: number,
  to: number | null,
): Promise<StepEvaluation[]> {
  return run<StepEvaluation>(
    'skeletonEvaluations',
    `select step, number, kind, split, status, primary_score as primary, suspect from evaluations
     where run_id = $1 and status not in ('pending', 'not_run') and (step > $2 or $2 = 0) and ($3::int is null or step <= $3)
     order by number, split desc`,
    [runId, after, to],
  );
}

interface EventAt {
  eventId: number;
  kind: string;
  at: Date;
}

/** Those that came after the reply of the step before the page, until that of the page's last. */
async function eventsOf(run: Statements, runId: string, after: number, to: number | null): Promise<EventAt[]> {
  return run<EventAt>(
    'skeletonEvents',
    `with bounds as (
       select (select created_at from steps where run_id = $1 and step = $2 + 1) as begun,
         (select created_at from steps where run_id = $1 and step = $3::int + 1) as over
     )
     select event_id::float8 as "eventId", kind, at from events, bounds
     where run_id = $1 and ($2 = 0 or at >= bounds.begun) and ($3::int is null or at < bounds.over)
     order by at, event_id`,
    [runId, after, to],
  );
}

/** Each with the step during which it came. */
function placed(events: readonly EventAt[], columns: StepColumns, after: number): StepSkeleton['events'] {
  let next = 0;
  return events.map(({ eventId, kind, at }) => {
    while (next < columns.at.length && columns.at[next]! <= at.getTime()) next++;
    return { eventId, kind, step: columns.step[next - 1] ?? after, at: isoTime(at) };
  });
}
