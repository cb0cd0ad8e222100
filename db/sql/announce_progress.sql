-- Whoever waits for a run that is played from outside listens, instead of looking again and again.
create function announce_progress() returns trigger language plpgsql as $$
begin
  perform pg_notify('bench_progress', new.run_id);
  -- Who waits for any rollout to end does not know which.
  if tg_table_name = 'runs' and exists (select from rollouts o where o.run_id = new.run_id) then
    perform pg_notify('bench_progress', 'rollouts');
  end if;
  return null;
end
$$;

comment on function announce_progress is 'Trigger: tells listeners of bench_progress that a run asks its player, or has ended.';

create trigger turns_announced after insert on turns for each row when (new.messages is not null) execute function announce_progress();
create trigger runs_announced after update of status on runs for each row when (new.status = 'ended') execute function announce_progress();
