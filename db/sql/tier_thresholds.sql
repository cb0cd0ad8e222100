-- Of one training step all episodes meet the same thresholds: what the episodes of earlier ones returned.
create function tier_thresholds(run_ids text[], request jsonb) returns table (
  run_id text,
  best_ever double precision,
  percentile double precision
) language sql stable as $$
  with asked as materialized (
    select
      coalesce((request ->> 'percentile')::double precision, 70) / 100 as share,
      coalesce((request ->> 'window')::integer, 64) as window_size,
      coalesce((request ->> 'warm_up')::integer, 8) as warm_up,
      coalesce((request ->> 'reward_batch_size')::integer, 8) as size
  ),
  members as materialized (
    select
      r.run_id, r.batch_id, r.task_id, r.contract, r.ordinal, r.status = 'ended' as ended,
      (row_number() over (partition by r.batch_id, r.task_id, r.contract order by r.ordinal) - 1) / a.size as turn
    from asked a, runs r
    where (r.batch_id, r.task_id, r.contract) in (
      select w.batch_id, w.task_id, w.contract from runs w where w.run_id = any (run_ids)
    )
  ),
  bests as materialized (
    select g.run_id, max(g.sign * g.score) as best
    from evaluation_gains(array(select m.run_id from members m where m.ended)) g
    where g.own and g.status = 'valid'
    group by g.run_id
  ),
  turns_of as materialized (
    select m.batch_id, m.task_id, m.contract, m.turn, count(b.best) as scored, max(b.best) as best
    from members m left join bests b on b.run_id = m.run_id
    group by m.batch_id, m.task_id, m.contract, m.turn
  ),
  series as materialized (
    select m.batch_id, m.task_id, m.contract, array_agg(b.best order by m.ordinal) as bests
    from members m join bests b on b.run_id = m.run_id
    group by m.batch_id, m.task_id, m.contract
  ),
  before as (
    select
      t.batch_id, t.task_id, t.contract, t.turn,
      coalesce(sum(t.scored) over earlier, 0)::integer as scored,
      max(t.best) over earlier as best
    from turns_of t
    window earlier as (
      partition by t.batch_id, t.task_id, t.contract order by t.turn rows between unbounded preceding and 1 preceding
    )
  ),
  frozen as materialized (
    select
      b.batch_id, b.task_id, b.contract, b.turn, b.best,
      case when least(b.scored, a.window_size) >= a.warm_up then (
        select percentile_cont(a.share) within group (order by x)
        from unnest(s.bests[greatest(b.scored - a.window_size, 0) + 1:b.scored]) x
      ) end as percentile
    from asked a cross join before b
    left join series s on s.batch_id = b.batch_id and s.task_id = b.task_id and s.contract = b.contract
  )
  select m.run_id, f.best, f.percentile
  from members m
  join frozen f on f.batch_id = m.batch_id and f.task_id = m.task_id and f.contract = m.contract and f.turn = m.turn
  where m.run_id = any (run_ids)
$$;

comment on function tier_thresholds is 'The moving bars of mode tier, times -1 where less is better; null: none yet.';
