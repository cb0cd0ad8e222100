create function task_version_changed() returns trigger language plpgsql as $$
begin
  perform refresh_run_results(array(select r.run_id from runs r where r.task_hash = new.content_hash));
  return null;
end
$$;

comment on function task_version_changed is 'Trigger: run_results follow the bounds and the direction of a task version.';

create trigger task_versions_update_results after update of direction, bound_min, bound_max on task_versions
  for each row execute function task_version_changed();
