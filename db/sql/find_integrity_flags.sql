create function find_integrity_flags(ids text[] default null) returns table (
  run_id text,
  rule text,
  step integer,
  until integer,
  detail text
) language sql stable as $$
  with ended as (
    select r.*, v.bound_min, v.bound_max, v.direction, t.protected_files,
      coalesce(t.answer_files, '{}') as answer_files
    from unnest(coalesce(ids, array(select e.run_id from runs e where e.status = 'ended'))) given (run_id)
    join runs r on r.run_id = given.run_id
    join task_versions v on v.content_hash = r.task_hash
    left join task_integrity t on t.task_id = r.task_id and t.contract = r.contract
    where r.status = 'ended'
  ),
  protected as (
    select r.run_id, f.file from ended r cross join lateral unnest(r.protected_files) f (file)
  ),
  writes as (
    select p.run_id, p.file, s.step
    from protected p join steps s on s.run_id = p.run_id
    where s.observation is not null and case
      when s.action ~ '^\s*(edit|insert|create)\M' then
        right(s.tool_state ->> 'openFile', length(p.file) + 11) = '/workspace/' || p.file
        and (
          edit_succeeded(s.observation)
          or s.action ~ '^\s*create\M' and s.observation like '[File: %'
        )
      when strpos(s.action, regexp_replace(p.file, '^.*/', '')) > 0 then
        coalesce(s.exit_code, 0) = 0 and not s.lost
        and s.observation !~ 'Permission denied|Read-only file system|Operation not permitted|cannot (stat|create|move)|No such file'
        and exists (
          select from shell_writes(
            s.action,
            coalesce(
              (select b.working_dir from steps b where b.run_id = s.run_id and b.step = s.step - 1), '/home/agent/workspace'
            )
          ) w (path)
          where right(w.path, length(p.file) + 11) = '/workspace/' || p.file
        )
    end
  ),
  scored as materialized (select * from scored_submissions(ids)),
  -- What a board shows of a run: its best and its last score.
  shown as materialized (
    select f.run_id, e.step, e.unchanged, f.best_number_of_all, f.last_number_of_all, e.number
    from find_run_results(array(select r.run_id from ended r)) f
    join evaluations e on e.run_id = f.run_id and e.split = 'test' and e.status = 'ok' and e.kind <> 'baseline'
      and e.primary_score is not null
  ),
  tries as materialized (
    select t.run_id, min(t.step) as step, string_agg(distinct t.attempt, ', ') as attempts
    from cheating_attempts(array(select r.run_id from ended r)) t group by t.run_id
  )
  select
    e.run_id, 'beyond_bounds', min(e.step) filter (where j.beyond), null::integer,
    format('%s of %s scores outside of what is possible, the first %s', count(*) filter (where j.beyond), count(*),
      (array_agg(e.primary_score order by e.number) filter (where j.beyond))[1])
  from ended r join evaluations e on e.run_id = r.run_id
  cross join lateral (
    select e.suspect or coalesce(e.primary_score < r.bound_min or e.primary_score > r.bound_max, false) as beyond
  ) j
  where e.status = 'ok' and e.kind <> 'baseline' and e.split = 'test'
  group by e.run_id having bool_or(j.beyond)
  union all
  select
    w.run_id, 'protected_write', min(w.step), null,
    format('wrote to %s (%s)', string_agg(distinct w.file, ', '),
      case count(distinct w.step) when 1 then 'in one step' else format('in %s steps', count(distinct w.step)) end)
  from writes w group by w.run_id
  union all
  select
    k.run_id, case when k.self_reported then 'self_reported' else 'made_up_answers' end, min(k.changed), max(k.step),
    format(case when k.self_reported then 'the agent writes the score itself, and here wrote values that were %s'
      else 'wrote answers that were %s' end, (array_agg(k.made_up order by k.number))[1])
  from scored k where k.made_up is not null group by k.run_id, k.self_reported
  union all
  select
    k.run_id, 'untouched_starter', min(k.step) filter (where k.unchanged), max(k.step) filter (where k.unchanged),
    format('%s of %s scores are the starter''s, its %s among them: nothing that is handed in was changed before',
      count(*) filter (where k.unchanged), count(*),
      case when bool_or(k.unchanged and k.number = k.best_number_of_all) then 'best' else 'last' end)
  from shown k group by k.run_id having bool_or(k.unchanged and k.number in (k.best_number_of_all, k.last_number_of_all))
  union all
  select t.run_id, 'tried', t.step, null, format('tried to reach the score without the work: %s', t.attempts)
  from tries t
  union all
  select
    r.run_id, 'read_answers', min(s.step), null, format('reads what the score is computed from: %s', string_agg(distinct f.file, ', '))
  from ended r cross join unnest(r.answer_files) f (file)
  join steps s on s.run_id = r.run_id
  where strpos(s.action, f.file) > 0 and s.action ~ '\m(open|load|read\w*|cat|head|tail|less|strings|xxd|od|cp|mv)\M'
    and not (s.action ~ '^\s*(edit|insert)\M' and not edit_succeeded(s.observation))
  group by r.run_id
  union all
  select r.run_id, 'no_model_call', null, null, 'no call to the model was answered: the score is the starter''s'
  from ended r
  where r.model_kind = 'real' and r.forked_from is null
    and exists (select from run_tokens k where k.run_id = r.run_id and k.input_tokens = 0 and k.output_tokens = 0)
    and r.end_reason not in ('budget', 'cancelled', 'config_error', 'infra_error')
    and not exists (select from model_calls c where c.run_id = r.run_id and c.status = 'confirmed')
  union all
  select
    r.run_id, 'other_model', c.step, null,
    format('%s of %s answers are of %s, in place of what the model refused', c.answers, c.of, c.models)
  from ended r
  join model_configs m on m.hash = r.model_config_hash and m.content ? 'fallback'
  cross join lateral (
    select min(k.step) filter (where o.other) as step, count(*) as of, count(*) filter (where o.other) as answers,
      string_agg(distinct k.model, ', ') filter (where o.other) as models
    from model_calls k cross join lateral (select (k.provider, k.model) <> (r.provider, r.provider_model) as other) o
    where k.run_id = r.run_id and k.status = 'confirmed'
  ) c
  where c.answers > 0
  union all
  -- More than half of the larger score, and a fifth of all that is possible: chance between two splits does less.
  select
    t.run_id, 'test_beats_validation', min(t.step) filter (where j.far), null,
    format('%s of %s submissions score far better on the test than on the validation, the first %s against %s',
      count(*) filter (where j.far), count(*), (array_agg(t.primary_score order by t.number) filter (where j.far))[1],
      (array_agg(s.primary_score order by t.number) filter (where j.far))[1])
  from ended r
  join evaluations t on t.run_id = r.run_id and t.split = 'test' and t.status = 'ok'
  join evaluations s on s.run_id = t.run_id and s.step = t.step and s.kind = t.kind and s.split = 'validation' and s.status = 'ok'
  cross join lateral (
    select case r.direction when 'maximize' then t.primary_score - s.primary_score else s.primary_score - t.primary_score end as gain
  ) g
  cross join lateral (
    select coalesce(
      g.gain > greatest(abs(t.primary_score), abs(s.primary_score)) / 2
        and g.gain > coalesce((r.bound_max - r.bound_min) / 5, 0), false
    ) as far
  ) j
  group by t.run_id having bool_or(j.far)
  union all
  select
    r.run_id, 'same_image', null, null,
    'the verifier gets files from outside of the working folder, programs among them: never ranked with clean rooms'
  from ended r join task_versions v on v.content_hash = r.task_hash
  where v.spec #>> '{evaluator,verification}' = 'same-image'
  union all
  select r.run_id, 'live', null, null, 'the tests ran in the agent''s own container, among its processes: never ranked'
  from ended r join task_versions v on v.content_hash = r.task_hash
  where v.spec #>> '{evaluator,verification}' = 'live'
  union all
  select r.run_id, 'in_process', null, null, 'the tests import what the agent wrote, which could pass them from inside'
  from ended r join task_versions v on v.content_hash = r.task_hash
  where v.spec #>> '{evaluator,kind}' = 'harbor' and v.spec #>> '{evaluator,inProcess}' = 'true'
$$;

comment on function find_integrity_flags is 'What the rules find in these ended runs (null: all), without storing it.';
