create function refresh_run_results(ids text[] default null) returns void language plpgsql as $$
declare
  wanted text[] := coalesce(ids, array(select r.run_id from runs r));
begin
  if cardinality(wanted) = 0 then
    return;
  end if;
  -- Writers of one run's evaluations take turns here, so that the last of them sees what the others wrote.
  perform from unnest(wanted) given (run_id) join runs r on r.run_id = given.run_id order by r.run_id for no key update of r;
  delete from run_results t using unnest(wanted) given (run_id)
  where t.run_id = given.run_id and not exists (
    select from evaluations e
    where e.run_id = t.run_id and e.split = 'test' and e.kind <> 'baseline' and e.status not in ('pending', 'not_run')
  );
  insert into run_results as t select * from find_run_results(wanted)
  on conflict (run_id) do update set
    evaluations = excluded.evaluations, suspects = excluded.suspects, without_isolation = excluded.without_isolation,
    best_attempt = excluded.best_attempt, best_number = excluded.best_number,
    last_attempt = excluded.last_attempt, last_number = excluded.last_number,
    best_attempt_of_all = excluded.best_attempt_of_all, best_number_of_all = excluded.best_number_of_all,
    last_attempt_of_all = excluded.last_attempt_of_all, last_number_of_all = excluded.last_number_of_all
  where t.* is distinct from excluded.*;
  update runs r set best_score = t.best_attempt_of_all
  from run_results t
  where t.run_id = any (wanted) and r.run_id = t.run_id and r.best_score is distinct from t.best_attempt_of_all;
  update runs r set final_score = b.value
  from evaluations e, baselines b
  where e.run_id = any (wanted) and e.unchanged and e.kind in ('submit', 'forced') and e.split = 'test' and e.status = 'ok'
    and r.run_id = e.run_id and r.origin = 'bench' and b.content_hash = r.task_hash and r.final_score is distinct from b.value
    and e.primary_score is not null;
end
$$;

comment on function refresh_run_results is 'Recompute run_results of these runs (null: all) with find_run_results().';
