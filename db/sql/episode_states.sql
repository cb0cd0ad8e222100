create view episode_states as
  select
    b.batch_id, b.concurrency as slots, count(*) filter (where r.status <> 'ended') as open,
    count(*) filter (where o.state = 'idle') as idle, count(*) filter (where o.state = 'detached') as detached,
    count(*) filter (where o.state = 'waiting') as waiting, count(*) filter (where o.state = 'active') as active,
    count(*) filter (where r.status = 'ended') as ended
  from batches b
  left join runs r on r.batch_id = b.batch_id
  left join episodes e on e.run_id = r.run_id
  left join lateral (
    select case
      when r.status is null or r.status = 'ended' then null
      when e.detached_at is not null then 'detached'
      when e.requested_at is null then 'idle'
      when r.started_at is null then 'waiting'
      else 'active'
    end as state
  ) o on true
  where b.training
  group by b.batch_id, b.concurrency;

comment on view episode_states is 'Open episodes of each training batch: idle (no sandbox is wanted), waiting for one, active, detached (the client is gone); slots: how many may be open.';
