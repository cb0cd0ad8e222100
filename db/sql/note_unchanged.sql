-- The starter measured by itself is the baseline, whose scores stay as they are.
create function note_unchanged() returns trigger language plpgsql as $$
begin
  new.unchanged := exists (
    select from runs r join starter_submissions s on s.content_hash = r.task_hash
    where r.run_id = new.run_id and s.sha256 = new.submission_sha256
      and not (r.model_kind = 'scripted' and r.model_name = 'scripted:baseline')
  );
  return new;
end
$$;

comment on function note_unchanged is 'Trigger: sets unchanged.';

create trigger evaluations_insert_unchanged before insert on evaluations
  for each row when (new.submission_sha256 is not null) execute function note_unchanged();

create trigger evaluations_update_unchanged before update of submission_sha256 on evaluations
  for each row when (new.submission_sha256 is distinct from old.submission_sha256) execute function note_unchanged();
