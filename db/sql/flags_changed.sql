create function flags_changed() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform refresh_run_results(array(select distinct n.run_id from after n where n.rule <> 'beyond_bounds'));
  elsif tg_op = 'DELETE' then
    perform refresh_run_results(array(select distinct o.run_id from before o where o.rule <> 'beyond_bounds'));
  else
    perform refresh_run_results(array(
      (select o.run_id from before o where o.rule <> 'beyond_bounds' union select n.run_id from after n where n.rule <> 'beyond_bounds')
    ));
  end if;
  return null;
end
$$;

comment on function flags_changed is 'Trigger: run_results follow integrity flags.';

create trigger integrity_flags_insert_results after insert on integrity_flags
  referencing new table as after for each statement execute function flags_changed();

create trigger integrity_flags_update_results after update on integrity_flags
  referencing old table as before new table as after for each statement execute function flags_changed();

create trigger integrity_flags_delete_results after delete on integrity_flags
  referencing old table as before for each statement execute function flags_changed();
