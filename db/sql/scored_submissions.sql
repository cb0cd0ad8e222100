-- By the steps alone, where the files themselves are not known: of imported runs, and where a starter's outputs differ each time.
create function scored_submissions(ids text[]) returns table (
  run_id text,
  self_reported boolean,
  step integer,
  number integer,
  changed integer,
  made_up text
) language sql stable as $$
  with ended as (
    select r.*, coalesce(t.self_reported, false) as self_reported, coalesce(t.starter_files, '{}') as starter_files,
      array(select jsonb_array_elements_text(
        case jsonb_typeof(v.spec #> '{submission,files}') when 'array' then v.spec #> '{submission,files}' else '[]' end
      )) as submitted_files
    from unnest(coalesce(ids, array(select e.run_id from runs e where e.status = 'ended'))) given (run_id)
    join runs r on r.run_id = given.run_id
    join task_versions v on v.content_hash = r.task_hash
    left join task_integrity t on t.task_id = r.task_id and t.contract = r.contract
    where r.status = 'ended' and r.model_kind = 'real'
  ),
  -- Steps of models that may have changed a file; of a task whose starter is what is handed in, only those that may have changed that.
  changes as materialized (
    select s.run_id, s.step, made_up_values(s.action, r.submitted_files) as made_up
    from ended r join steps s on s.run_id = r.run_id
    where step_changes(s.action, s.observation) and (
      r.starter_files = '{}'
      or s.action ~ '^\s*(edit|insert)\M' and exists (
        select from unnest(r.starter_files) f (file) where right(s.tool_state ->> 'openFile', length(file) + 1) = '/' || file
      )
      or exists (
        select from unnest(r.starter_files) f (file)
        where s.action ~ ('(^|[^[:alnum:]_-])' || replace(regexp_replace(file, '^.*/', ''), '.', '\.'))
      )
      or s.action !~ '^\s*(edit|insert|create|pip|conda)\M'
    )
  )
  select
    r.run_id, r.self_reported, e.step, e.number, max(c.step), (array_agg(c.made_up order by c.step desc))[1]
  from ended r
  join evaluations e on e.run_id = r.run_id and e.status = 'ok' and e.kind <> 'baseline' and e.split = 'test'
    and e.primary_score is not null
  left join changes c on c.run_id = r.run_id and c.step <= e.step
  where exists (select from steps s where s.run_id = r.run_id and s.observation is not null)
  group by r.run_id, r.self_reported, e.step, e.number
$$;

comment on function scored_submissions is 'Scored submissions of ended runs, with the last step that may have changed a file.';
