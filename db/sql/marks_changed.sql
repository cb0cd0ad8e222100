create function marks_changed() returns trigger language plpgsql as $$
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

comment on function marks_changed is 'Trigger: run_results follow integrity marks.';

create trigger integrity_marks_insert_results after insert on integrity_marks
  referencing new table as after for each statement execute function marks_changed();

create trigger integrity_marks_update_results after update on integrity_marks
  referencing old table as before new table as after for each statement execute function marks_changed();

create trigger integrity_marks_delete_results after delete on integrity_marks
  referencing old table as before for each statement execute function marks_changed();
