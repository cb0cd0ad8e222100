-- A run's best attempt is chosen by what its agent was shown: of a task with a validation split, the one with the best validation score, and its test
-- score is what counts. Chosen by the test scores themselves, many guesses would be as good as knowing. Of a task with one split that is shown and counts.
-- A mark counts against the scores of its steps: from its first one on, up to its last.
create function find_run_results(ids text[] default null) returns setof run_results language sql stable as $$
  select
    j.run_id, count(*)::integer, (count(*) filter (where j.suspect))::integer, coalesce(bool_or(j.isolation = 'none'), false),
    (min(j.good) filter (where not j.suspect))[3], (min(j.good) filter (where not j.suspect))[2]::integer,
    (max(j.late) filter (where not j.suspect))[2], (max(j.late) filter (where not j.suspect))[1]::integer,
    (min(j.good))[3], (min(j.good))[2]::integer, (max(j.late))[2], (max(j.late))[1]::integer
  from (
    select
      e.run_id, e.isolation,
      e.suspect or coalesce(e.primary_score < v.bound_min or e.primary_score > v.bound_max, false)
        or e.status = 'ok' and coalesce(e.step <@ any (bears.marks), false) as suspect,
      -- The best that was shown, of equal ones the earliest, and what it counts for; the last value. Arrays compare by their first difference.
      case when e.status = 'ok' and e.primary_score is not null and shown.score is not null
        then array[s.sign * shown.score, e.number, e.primary_score] end as good,
      case when e.status = 'ok' then array[e.number, e.primary_score] end as late
    from unnest(coalesce(ids, array(select r.run_id from runs r))) given (run_id)
    join runs r on r.run_id = given.run_id
    join task_versions v on v.content_hash = r.task_hash
    cross join lateral (select case v.direction when 'maximize' then -1 else 1 end as sign) s
    cross join lateral (
      select array(
        select int4range(m.step, m.until, '[]') from integrity_marks m where m.run_id = r.run_id and m.rule not in ('beyond_bounds', 'in_process')
      ) as marks offset 0
    ) bears
    join evaluations e on e.run_id = r.run_id
    left join evaluations on_validation
      on on_validation.run_id = e.run_id and on_validation.step = e.step and on_validation.kind = e.kind and on_validation.split = 'validation'
    cross join lateral (
      select case when on_validation.run_id is null then e.primary_score when on_validation.status = 'ok' then on_validation.primary_score end as score
    ) shown
    where e.split = 'test' and e.kind <> 'baseline' and e.status not in ('pending', 'not_run')
  ) j
  group by j.run_id
$$;

comment on function find_run_results is 'The definition of run_results: scores of the evaluations of these runs (null: all), without storing them.';
