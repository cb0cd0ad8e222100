create function evaluations_changed() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    -- One that has only begun scores nothing.
    perform refresh_run_results(array(select distinct n.run_id from after n where n.status not in ('pending', 'not_run')));
  elsif tg_op = 'DELETE' then
    perform refresh_run_results(array(select distinct o.run_id from before o));
  else
    perform refresh_run_results(array(select o.run_id from before o union select n.run_id from after n));
  end if;
  return null;
end
$$;

comment on function evaluations_changed is 'Trigger: run_results follow evaluations.';

create trigger evaluations_insert_results after insert on evaluations
  referencing new table as after for each statement execute function evaluations_changed();

create trigger evaluations_update_results after update on evaluations
  referencing old table as before new table as after for each statement execute function evaluations_changed();

create trigger evaluations_delete_results after delete on evaluations
  referencing old table as before for each statement execute function evaluations_changed();
