-- A run's best attempt is chosen by what its agent was shown: of a task with a validation split, the one with the best validation score, and its test
-- score is what counts. Chosen by the test scores themselves, many guesses would be as good as knowing. Of a task with one split that is shown and counts.
-- A flag counts against the scores of its steps: from its first one on, up to its last.
create function find_run_results(ids text[] default null) returns setof run_results language sql stable as $$
  select
    j.run_id, count(*)::integer, (count(*) filter (where j.suspect))::integer, coalesce(bool_or(j.isolation = 'none'), false),
    (min(j.good) filter (where not j.suspect))[3], (min(j.good) filter (where not j.suspect))[2]::integer,
    (max(j.late) filter (where not j.suspect))[2], (max(j.late) filter (where not j.suspect))[1]::integer,
    (min(j.good_of_all))[3], (min(j.good_of_all))[2]::integer, (max(j.late_of_all))[2], (max(j.late_of_all))[1]::integer
  from (
    select
      e.run_id, e.isolation,
      e.suspect or coalesce(e.primary_score < v.bound_min or e.primary_score > v.bound_max, false)
        or e.status = 'ok' and coalesce(e.step <@ any (bears.flags), false) as suspect,
      -- The best that was shown, of equal ones the earliest, and what it counts for; the last value. Arrays compare by their first difference.
      case when worth.score is not null and (shown.run_id is null or shown.status = 'ok' and shown.primary_score is not null)
        then array[s.sign * coalesce(shown.primary_score, worth.score), e.number, worth.score] end as good,
      case when e.status = 'ok' then array[e.number, worth.score] end as late,
      case when worth.of_all is not null and (shown.run_id is null or shown.status = 'ok' and shown.primary_score is not null)
        then array[s.sign * coalesce(shown.primary_score, worth.of_all), e.number, worth.of_all] end as good_of_all,
      case when e.status = 'ok' then array[e.number, worth.of_all] end as late_of_all
    from unnest(coalesce(ids, array(select r.run_id from runs r))) given (run_id)
    join runs r on r.run_id = given.run_id
    join task_versions v on v.content_hash = r.task_hash
    cross join lateral (select case v.direction when 'maximize' then -1 else 1 end as sign) s
    cross join lateral (
      select array(
        select int4range(m.step, m.until, '[]') from integrity_flags m
        where m.run_id = r.run_id and m.rule <> all ('{beyond_bounds,in_process,untouched_starter,tried}')
      ) as flags offset 0
    ) bears
    join evaluations e on e.run_id = r.run_id
    left join evaluations shown
      on shown.run_id = e.run_id and shown.step = e.step and shown.kind = e.kind and shown.split = 'validation'
    left join baselines base on base.content_hash = r.task_hash
    -- An unchanged starter is worth its baseline: another measurement of it is no better work. Imported runs keep what was published.
    left join lateral (
      select case when e.unchanged then coalesce(base.value, e.primary_score) else e.primary_score end as score,
        case when e.unchanged and r.origin = 'bench' then coalesce(base.value, e.primary_score) else e.primary_score end as of_all
      where e.status = 'ok' and e.primary_score is not null
    ) worth on true
    where e.split = 'test' and e.kind <> 'baseline' and e.status not in ('pending', 'not_run')
  ) j
  group by j.run_id
$$;

comment on function find_run_results is 'The definition of run_results: scores of these runs (null: all), without storing them.';
