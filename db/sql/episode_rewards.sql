create function episode_rewards(run_ids text[] default null, request jsonb default '{"mode": "delta_prev"}', stored boolean default false) returns table (
  run_id text,
  step integer,
  evaluation integer,
  gain double precision,
  reward double precision,
  cumulative_reward double precision,
  format_errors integer,
  fault text,
  parts jsonb
) language sql stable as $$
  with asked as materialized (
    select
      q ->> 'mode' as mode, q ->> 'mode' in ('final', 'best', 'tier') as once, q ? 'tiers' as tiered,
      -- A score that a fault kept from us may have been the one that counts.
      q ->> 'mode' in ('delta_best', 'each', 'best', 'tier') as needs_all,
      coalesce(q ->> 'unit', 'gain') as unit,
      coalesce((q ->> 'scale')::double precision, 1) as scale,
      coalesce((q ->> 'offset')::double precision, 0) as shift,
      coalesce((q ->> 'error_penalty')::double precision, 0) as error_penalty,
      (q #>> '{clip,0}')::double precision as low, (q #>> '{clip,1}')::double precision as high,
      (q ->> 'format_penalty')::double precision as format_penalty,
      (q ->> 'no_valid_penalty')::double precision as no_valid_penalty
    from checked_reward(request, stored) q
  ),
  rungs as materialized (
    select
      t.place, t.rung ? 'above' as strict, coalesce(t.rung ->> 'above', t.rung ->> 'at_least') as bar,
      (t.rung ->> 'reward')::double precision as reward
    from jsonb_array_elements(request -> 'tiers') with ordinality t (rung, place)
  ),
  episodes as materialized (
    select
      r.run_id, r.status = 'ended' as ended, r.step as last_step,
      case when r.forked_at_step is null or r.replaces = r.forked_from then 0 else r.forked_at_step end as copied,
      case when r.end_reason not in ('submit', 'max_steps', 'context', 'cost', 'tokens', 'format', 'refusal', 'forfeit', 'wall_time', 'deadline')
        then r.end_reason end as end_fault
    from (select distinct i.id from unnest(coalesce(run_ids, array(select a.run_id from runs a))) i (id)) given
    join runs r on r.run_id = given.id
  ),
  bars as materialized (
    select t.*
    from tier_thresholds(
      case when exists (select from rungs where bar in ('best_ever', 'percentile')) then array(select e.run_id from episodes e) end,
      request
    ) t
  ),
  valued as materialized (
    select
      g.*, g.own and g.status = 'valid' as counts,
      case when g.status = 'valid' then case
        when a.tiered then g.sign * g.score
        when a.unit = 'score' then g.sign * (g.score - g.baseline)
        else g.gain
      end end as value
    from asked a, evaluation_gains(array(select e.run_id from episodes e)) g
  ),
  ordered as materialized (
    select
      v.*,
      lag(v.value, 1, 0::double precision) over (partition by v.run_id, v.status = 'valid' order by v.number) as previous,
      greatest(max(v.value) over (partition by v.run_id order by v.number rows between unbounded preceding and 1 preceding), 0) as best_before,
      max(v.value) filter (where v.counts) over (partition by v.run_id order by v.number) as best,
      count(*) filter (where v.counts) over (partition by v.run_id order by v.number) as nth
    from valued v
  ),
  starts as materialized (
    select
      g.run_id, min(g.sign) as sign, min(g.sign * g.baseline) as height, min(b.best_ever) as best_ever,
      min(b.percentile) as percentile
    from valued g left join bars b on b.run_id = g.run_id
    group by g.run_id
  ),
  paid as (
    select
      o.run_id, o.step, o.number, o.status, o.gain, o.nth,
      case a.mode when 'final' then max(o.value) filter (where o.counts) over (partition by o.run_id, o.nth) else o.best end as outcome,
      case when a.once then null when o.counts then case a.mode
        -- Of clipped values, so that what a fall was clipped to pays nothing when the score comes back.
        when 'delta_prev' then greatest(least(o.value, a.high), a.low) - greatest(least(o.previous, a.high), a.low)
        when 'delta_best' then greatest(least(greatest(o.value - o.best_before, 0), a.high), a.low)
        else greatest(least(o.value, a.high), a.low)
      end when o.status = 'invalid' then 0 end as pay
    from asked a, ordered o
    where o.own
  ),
  by_step as materialized (
    select
      p.run_id, p.step, max(p.number) as number, sum(p.pay order by p.number) as pay, max(p.nth) as valid,
      (array_agg(p.status order by p.number desc))[1] as status, (array_agg(p.gain order by p.number desc))[1] as gain,
      (array_agg(p.outcome order by p.number desc))[1] as outcome,
      max(p.status) filter (where p.status in ('evaluator_error', 'no_baseline')) as unmeasured, bool_or(p.status = 'invalid') as invalid
    from paid p
    group by p.run_id, p.step
  ),
  rated as materialized (
    select
      b.*,
      case
        when b.outcome is null or not a.once then null
        when not a.tiered then a.scale * b.outcome + a.shift
        -- No tier is reached by what does not beat the baseline and its noise.
        when b.outcome <= t.height then 0
        -- The last rung before the first that is not reached.
        else coalesce((
          select (array_agg(x.reward order by x.place))[min(x.place) filter (where not x.passed) - 1]
          from (
            select
              r.place, r.reward,
              case when r.strict then b.outcome > h.height else b.outcome >= h.height end as passed
            from (select * from rungs union all select count(*) + 1, true, 'infinity', null from rungs) r
            cross join lateral (
              select case r.bar
                when 'baseline' then t.height
                when 'best_ever' then greatest(t.height, t.best_ever)
                when 'percentile' then coalesce(t.percentile, t.height)
                when 'infinity' then 'infinity'
                else t.sign * r.bar::double precision
              end as height
            ) h
          ) x
        ), 0)
      end as worth
    from asked a cross join by_step b join starts t on t.run_id = b.run_id
  ),
  -- A question that is put again means that the reply before it could not be used.
  refused as materialized (
    select c.run_id, c.step, max(c.try) as tries
    from (
      select m.run_id, m.step, m.try from model_calls m where m.run_id in (select e.run_id from episodes e) and m.try > 0
      union all
      select t.run_id, t.step, t.try from turns t where t.run_id in (select e.run_id from episodes e) and t.try > 0
    ) c
    group by c.run_id, c.step
  ),
  taken as (
    select
      s.run_id, s.step, s.action is null as unread,
      not s.lost and (s.action is null or s.timed_out or coalesce(s.exit_code <> 0, false)) as failed
    from episodes e join steps s on s.run_id = e.run_id and s.step > e.copied
    union all
    -- Ends before the step's action, and before any; a step whose replies could not be used so far.
    select m.run_id, m.step, false, false
    from (
      select b.run_id, b.step from by_step b
      union
      select f.run_id, f.step from refused f join episodes e on e.run_id = f.run_id and f.step > e.copied
      union
      select e.run_id, e.last_step from episodes e where e.ended
    ) m
    join episodes e on e.run_id = m.run_id
    where not exists (select from steps s where s.run_id = m.run_id and s.step = m.step and s.step > e.copied)
  ),
  joined as (
    select
      k.run_id, k.step, e.end_fault, b.number, b.status, b.gain, b.pay, b.worth,
      coalesce(f.tries, 0) + k.unread::integer as format_errors,
      lead(k.step) over (partition by k.run_id order by k.step) is null and e.ended as ends,
      count(*) filter (where k.failed) over until_now as errors, count(*) over until_now as steps,
      count(b.worth) over until_now as worths, coalesce(max(b.valid) over until_now, 0) as valid,
      coalesce(bool_or(b.invalid) over until_now, false) as invalid,
      max(b.number) over until_now as latest,
      max(case when b.status in ('evaluator_error', 'no_baseline') then b.number end) over until_now as latest_unmeasured,
      max(b.unmeasured) over until_now as unmeasured
    from taken k
    join episodes e on e.run_id = k.run_id
    left join rated b on b.run_id = k.run_id and b.step = k.step
    left join refused f on f.run_id = k.run_id and f.step = k.step
    window until_now as (partition by k.run_id order by k.step)
  ),
  judged as (
    select
      j.*, a.once, a.no_valid_penalty,
      greatest(least(
        max(j.worth) over (partition by j.run_id, j.worths) - a.error_penalty * j.errors / j.steps, a.high), a.low) as worth_now,
      -j.format_errors * a.format_penalty as format_part,
      coalesce(
        case when j.ends then j.end_fault end,
        case when j.ends and (a.needs_all or j.latest_unmeasured = j.latest) then j.unmeasured end,
        case when j.status in ('evaluator_error', 'no_baseline') then j.status end
      ) as fault
    from asked a cross join joined j
  ),
  parted as (
    select
      g.*,
      case
        when g.fault is not null then null
        when not g.once then g.pay
        when g.ends and g.valid > 0 then g.worth_now
        when g.ends and g.invalid and g.no_valid_penalty is null then 0
      end as evaluation_part,
      case when g.fault is null and g.ends and g.valid = 0 then -g.no_valid_penalty end as no_valid_part,
      case when g.fault is null and g.format_errors > 0 then g.format_part end as penalty_part
    from judged g
  ),
  summed as (
    select
      p.*,
      case when num_nonnulls(p.evaluation_part, p.no_valid_part, p.penalty_part) > 0
        then coalesce(p.evaluation_part, 0) + coalesce(p.no_valid_part, 0) + coalesce(p.penalty_part, 0)
      end as reward
    from parted p
  )
  select
    s.run_id, s.step, s.number, s.gain, s.reward,
    case
      when s.fault is not null then null
      when s.once and not s.ends and s.valid > 0 and num_nonnulls(s.number, s.reward) > 0
        then s.worth_now + coalesce(sum(s.penalty_part) over so_far, 0)
      when s.reward is not null then sum(s.reward) over so_far
    end,
    s.format_errors, s.fault,
    case when s.reward is not null then jsonb_strip_nulls(jsonb_build_object(
      'evaluation', s.evaluation_part, 'no_valid', s.no_valid_part, 'format', s.penalty_part
    )) end
  from summed s
  window so_far as (partition by s.run_id order by s.step)
$$;

comment on function episode_rewards is 'Rewards of each step of these runs (null: all); docs/concepts/rewards.md. stored: of a reset.';
