create function close_ended_run() returns trigger language plpgsql as $$
begin
  perform close_calls(array[new.run_id]);
  -- A statement of its own, so that it sees an evaluation whose beginning this end has waited for.
  update evaluations set status = 'not_run', ended_at = now() where run_id = new.run_id and status = 'pending';
  delete from watched_runs where run_id = new.run_id;
  delete from live_outputs where run_id = new.run_id;
  return null;
end
$$;

comment on function close_ended_run is 'Trigger: closes what an ended run leaves open.';

create trigger runs_closed after update of status on runs
  for each row when (new.status = 'ended' and old.status <> 'ended') execute function close_ended_run();
