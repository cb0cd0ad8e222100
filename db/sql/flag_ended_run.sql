create function flag_ended_run() returns trigger language plpgsql as $$
begin
  -- The first of a transaction looks at all that the transaction ended.
  if exists (select from runs r where r.run_id = new.run_id and r.integrity_version is null) then
    perform flag_integrity(
      array(select r.run_id from runs r where r.status = 'ended' and r.integrity_version is null)
    );
  end if;
  return null;
end
$$;

comment on function flag_ended_run is 'Trigger: flags a run at the commit that ends it.';

-- Deferred to the commit: by then the run's steps and evaluations are stored, of imported runs too.
create constraint trigger runs_flagged after insert or update of status on runs
  deferrable initially deferred for each row when (new.status = 'ended') execute function flag_ended_run();
