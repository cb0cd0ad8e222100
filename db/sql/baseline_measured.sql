create function baseline_measured() returns trigger language plpgsql as $$
begin
  perform refresh_run_results(array(
    select distinct e.run_id from runs r join evaluations e on e.run_id = r.run_id and e.unchanged
    where r.task_hash = new.content_hash
  ));
  return null;
end
$$;

comment on function baseline_measured is 'Trigger: refreshes unchanged submissions.';

create trigger baselines_insert_results after insert on baselines for each row execute function baseline_measured();

create trigger baselines_update_results after update of value on baselines
  for each row when (new.value is distinct from old.value) execute function baseline_measured();
