-- What may be compared is ranked alike.
create function task_contract_agrees() returns trigger language plpgsql as $$
declare
  other task_versions;
begin
  if exists (select from task_versions v where v.content_hash = new.content_hash) then
    return new;
  end if;
  -- New versions come one at a time, so that each sees the others.
  perform pg_advisory_xact_lock(hashtextextended('task_versions', 0));
  select v.* into other from task_versions v
  where v.task_id = new.task_id and v.contract = new.contract
    and (v.primary_metric <> new.primary_metric or v.direction <> new.direction)
  limit 1;
  if found then
    raise exception 'task % is ranked by % (%) at contract %, not by % (%)',
      new.task_id, other.primary_metric, other.direction, new.contract, new.primary_metric, new.direction
      using errcode = 'check_violation', constraint = 'task_versions_contract', table = 'task_versions';
  end if;
  return new;
end
$$;

comment on function task_contract_agrees is 'Trigger: versions of a task at one contract have the same primary metric and direction; others are refused.';

create trigger task_versions_contract before insert on task_versions
  for each row execute function task_contract_agrees();
