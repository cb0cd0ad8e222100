-- Faults of ours are never scores: status says what an evaluation can be paid for.
create function evaluation_gains(run_ids text[] default null) returns table (
  run_id text,
  step integer,
  number integer,
  kind text,
  own boolean,
  status text,
  score double precision,
  baseline double precision,
  sign integer,
  gain double precision
) language sql stable as $$
  with tasks as materialized (
    select
      v.content_hash, v.bound_min, v.bound_max, b.value as baseline, 2 * b.standard_error as noise, target_of(v.spec) as target,
      case v.direction when 'maximize' then 1 else -1 end as sign,
      case when v.spec -> 'splits' ? 'validation' then 'validation' else 'test' end as shown
    from task_versions v left join baselines b on b.content_hash = v.content_hash
  )
  select
    e.run_id, e.step, e.number, e.kind,
    -- A fork that continues the run that it replaces is the same episode.
    e.step > case when r.forked_at_step is null or r.replaces = r.forked_from then 0 else r.forked_at_step end,
    case
      when e.status in ('evaluator_error', 'not_run') or e.status = 'pending' and r.status = 'ended' then 'evaluator_error'
      when e.status = 'pending' then 'open'
      when t.baseline is null then 'no_baseline'
      when paid.gain is null then 'invalid'
      else 'valid'
    end,
    case when paid.gain = 0 then t.baseline when paid.gain is not null then e.primary_score end, t.baseline, t.sign, paid.gain
  from (select distinct i.id from unnest(coalesce(run_ids, array(select a.run_id from runs a))) i (id)) given
  join runs r on r.run_id = given.id
  join tasks t on t.content_hash = r.task_hash
  join evaluations e on e.run_id = r.run_id and e.split = t.shown
  left join lateral (
    select
      t.sign * (e.primary_score - t.baseline) as up,
      coalesce(nullif(abs(t.target - t.baseline), 0), nullif(abs(t.baseline), 0), 1) as unit
    -- Beyond these PostgreSQL may meet an overflow, which is an error.
    where greatest(abs(e.primary_score), abs(t.baseline), abs(t.target)) < 1e150
  ) d on true
  cross join lateral (
    select case
      when e.status <> 'ok' or e.suspect or coalesce(e.primary_score < t.bound_min or e.primary_score > t.bound_max, false)
        or d.up is null or d.unit < 1e-150 then null
      -- The starter handed in again, and what the baseline's noise alone may give, are no gain and no loss.
      when e.unchanged or abs(d.up) <= greatest(t.noise, d.unit * 1e-12) then 0
      -- Multiples of 2^-32: differences of gains, and their sums in any order, are then exact in doubles.
      when abs(d.up) < d.unit * 1048576 then round(d.up / d.unit * 4294967296) / 4294967296 + 0
      else d.up / d.unit
    end as gain
  ) paid
  where e.kind <> 'baseline'
$$;

comment on function evaluation_gains is 'What rewards are paid for: status valid, invalid, open, or a fault of ours (evaluator_error, no_baseline); own: not copied by a fork.';
