-- Callers that wait for a run that is played from outside listen, instead of polling.
create function announce_progress() returns trigger language plpgsql as $$
begin
  perform pg_notify('bench_progress', new.run_id);
  -- A caller that waits for any rollout to end does not know which.
  if tg_table_name = 'runs' and exists (select from rollouts o where o.run_id = new.run_id) then
    perform pg_notify('bench_progress', 'rollouts');
  end if;
  return null;
end
$$;

comment on function announce_progress is 'Trigger: notifies bench_progress of runs that ask their player, or ended.';

create trigger turns_announced after insert on turns for each row when (new.messages is not null) execute function announce_progress();
create trigger runs_announced after update of status on runs for each row when (new.status = 'ended') execute function announce_progress();
