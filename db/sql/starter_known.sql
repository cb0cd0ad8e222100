create function starter_known() returns trigger language plpgsql as $$
begin
  update evaluations e set unchanged = true
  from runs r
  where e.submission_sha256 = new.sha256 and not e.unchanged and r.run_id = e.run_id and r.task_hash = new.content_hash
    and not (r.model_kind = 'scripted' and r.model_name = 'scripted:baseline');
  return null;
end
$$;

comment on function starter_known is 'Trigger: sets unchanged of earlier evaluations.';

create trigger starter_submissions_insert after insert on starter_submissions
  for each row execute function starter_known();
