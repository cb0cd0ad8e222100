create function flag_integrity(ids text[] default null) returns bigint language sql volatile as $$
  -- Where hashes say nothing, the steps do.
  update evaluations e set unchanged = true
  from scored_submissions(ids) k
  where k.changed is null and e.run_id = k.run_id and e.number = k.number and e.split = 'test' and not e.unchanged;

  with found as materialized (select * from find_integrity_flags(ids)),
  outdated as (
    delete from integrity_flags m
    using unnest(coalesce(ids, array(select distinct o.run_id from integrity_flags o))) given (run_id)
    where m.run_id = given.run_id and not exists (select from found f where f.run_id = m.run_id and f.rule = m.rule)
  ),
  flagged as (
    insert into integrity_flags (run_id, rule, step, until, detail, version)
    select f.run_id, f.rule, f.step, f.until, f.detail, integrity_rules_version() from found f
    on conflict (run_id, rule) do update
      set step = excluded.step, until = excluded.until, detail = excluded.detail, version = excluded.version
    returning 1
  ),
  looked_at as (
    update runs r set integrity_version = integrity_rules_version()
    from unnest(coalesce(ids, array(select e.run_id from runs e where e.status = 'ended'))) given (run_id)
    where r.run_id = given.run_id and r.status = 'ended'
  )
  select count(*) from flagged
$$;

comment on function flag_integrity is 'Recompute integrity_flags of these ended runs (null: all); returns how many there are.';
