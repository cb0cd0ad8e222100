import type { SubjectKind } from '../../../domain/ports/reading/subject-pages.js';
import { BenchError } from '../../../domain/errors.js';
import type { Played, PlayedCell, PlayedList } from '../../../domain/views/subjects.js';
import type { Statements } from '../../statements.js';
import { isoTime, OWN_RUN } from '../summaries.js';

/** By kind: columns of its name and version, what it was played with, and the table of versions. */
const SUBJECTS: Readonly<
  Record<SubjectKind, { name: string; version: string; with: string; versions: string; content: string }>
> = {
  task: {
    ...{ name: 'r.task_id', version: 'r.task_hash', with: 'r.model_name' },
    ...{ versions: 'task_versions v on v.content_hash = r.task_hash', content: 'v.spec' },
  },
  model: {
    ...{ name: 'r.model_name', version: 'r.model_config_hash', with: 'r.task_id' },
    ...{ versions: 'model_configs v on v.hash = r.model_config_hash', content: 'v.content' },
  },
  agent: {
    ...{ name: 'r.agent_name', version: 'r.agent_hash', with: 'r.model_name' },
    ...{ versions: 'agent_configs v on v.hash = r.agent_hash', content: 'v.content' },
  },
};
const MOST_SCORES = 500;

/** What was played, the latest first. */
export async function playedList(run: Statements, kind: SubjectKind): Promise<PlayedList> {
  const { name, version, with: others } = SUBJECTS[kind];
  type Row = Omit<PlayedList['played'][number], 'lastRunAt'> & { lastRunAt: Date };
  const rows = await run<Row>(
    'playedList',
    `select ${name} as name, count(*)::int as runs, count(*) filter (where r.status = 'ended')::int as ended,
       count(distinct ${version})::int as versions, count(distinct ${others})::int as of, max(r.created_at) as "lastRunAt",
       trim_scale(sum(r.cost_usd))::text as "costUsd",
       ${kind === 'task' ? '(array_agg(v.name order by r.created_at desc))[1]' : 'null::text'} as title
     from runs r ${kind === 'task' ? 'join task_versions v on v.content_hash = r.task_hash' : ''}
     where ${OWN_RUN} group by 1 order by max(r.created_at) desc, 1`,
    [],
  );
  return { played: rows.map((row) => ({ ...row, lastRunAt: isoTime(row.lastRunAt) })) };
}

/** A subject's versions, and outcomes of its runs. Throws BenchError (not_found): never played. */
export async function playedSubject(run: Statements, kind: SubjectKind, wanted: string): Promise<Played> {
  const { name, versions, content } = SUBJECTS[kind];
  type VersionRow = Omit<Played['versions'][number], 'createdAt'> & { createdAt: Date };
  const [found, cells, costs] = await Promise.all([
    run<VersionRow>(
      'playedVersions',
      `select v.${kind === 'task' ? 'content_hash' : 'hash'} as hash, ${kind === 'task' ? 'v.contract' : 'null::int as contract'},
         v.created_at as "createdAt", count(*)::int as runs, ${content} as content
       from runs r join ${versions} where ${name} = $1 and ${OWN_RUN} group by v.${kind === 'task' ? 'content_hash' : 'hash'} order by v.created_at desc`,
      [wanted],
    ),
    playedCells(run, name, wanted),
    kind === 'model' ? costsOf(run, wanted) : [],
  ]);
  if (cells.length === 0)
    throw new BenchError('not_found', `no run has the ${kind} ${JSON.stringify(wanted.slice(0, 100))}`, {
      remedy: `\`bench runs\` lists what was played, \`bench ${kind}s list\` what can be.`,
    });
  return {
    name: wanted,
    versions: found.map((row) => ({ ...row, createdAt: isoTime(row.createdAt) })),
    cells,
    costs,
  };
}

const playedCells = (run: Statements, name: string, wanted: string): Promise<PlayedCell[]> =>
  run<PlayedCell>(
    'playedCells',
    `with own as (
       select r.*, v.direction, (select b.value from baselines b where b.content_hash = r.task_hash) as baseline, found.best_attempt as best,
         case v.direction when 'minimize' then found.best_attempt else -found.best_attempt end as placed,
         (select min(e.step) from evaluations e where e.run_id = r.run_id and e.split = 'test' and e.status = 'ok') as first_score
       from runs r join task_versions v on v.content_hash = r.task_hash left join run_results found on found.run_id = r.run_id
       where ${name} = $1 and ${OWN_RUN}
     )
     select o.model_name as model, o.model_kind as kind, o.task_id as task, max(o.direction) as direction,
       (array_agg(o.baseline order by o.created_at desc))[1] as baseline, count(*)::int as runs,
       count(*) filter (where o.status = 'ended')::int as ended,
       count(*) filter (where o.end_reason in ('infra_error', 'config_error'))::int as faults,
       coalesce((array_agg(o.best order by o.placed, o.ordinal) filter (where o.best is not null))[1:${MOST_SCORES}], '{}') as scores,
       count(o.best)::int as scored,
       (array_agg(o.best order by o.placed, o.ordinal) filter (where o.best is not null))[1] as best,
       (array_agg(o.run_id order by o.placed, o.ordinal) filter (where o.best is not null))[1] as "bestRun",
       percentile_cont(0.5) within group (order by o.best) as median, avg(o.best) as mean,
       percentile_cont(0.5) within group (order by o.first_score) as "firstScoreStep",
       percentile_cont(0.5) within group (order by o.step) filter (where o.status = 'ended') as steps,
       (select coalesce(jsonb_object_agg(e.end_reason, e.runs), '{}') from (
          select i.end_reason, count(*) as runs from own i
          where i.model_name = o.model_name and i.model_kind = o.model_kind and i.task_id = o.task_id and i.end_reason is not null
          group by 1) e) as ends,
       trim_scale(sum(o.cost_usd))::text as "costUsd", sum(o.input_tokens + o.output_tokens)::float8 as tokens
     from own o group by 1, 2, 3 order by 1, 2, 3`,
    [wanted],
  );

/** By each list that has a price for it. */
const costsOf = (run: Statements, model: string): Promise<Played['costs']> =>
  run<Played['costs'][number]>(
    'modelCosts',
    `select l.list, c.runs::int as runs, trim_scale(c.list_usd)::text as "listUsd", trim_scale(c.recorded_usd)::text as "recordedUsd"
     from (select distinct list from price_lists where model = $1) l cross join lateral model_costs(l.list) c where c.model = $1
     order by l.list`,
    [model],
  );
