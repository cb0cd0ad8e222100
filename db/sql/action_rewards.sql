-- A step is paid once, its actions may be several: each reply that could not be used has its own penalty, the last action the rest.
create function action_rewards(run_ids text[] default null) returns table (
  run_id text,
  seq integer,
  reward double precision,
  gain double precision,
  format_error boolean
) language sql stable as $$
  with given as materialized (
    select e.run_id, e.reward as asked
    from (select distinct i.id from unnest(coalesce(run_ids, array(select a.run_id from episodes a))) i (id)) i
    join episodes e on e.run_id = i.id
  ),
  acted as materialized (
    select
      a.run_id, a.seq, a.step, max(a.step) over (partition by a.run_id) as last_step,
      lead(a.step) over (partition by a.run_id order by a.seq) is distinct from a.step as acts,
      count(*) over (partition by a.run_id, a.step) - 1 as unused
    from given g join episode_actions a on a.run_id = g.run_id
  ),
  -- What ends an episode may be evaluated as of a step that never began.
  paid as materialized (
    select
      w.run_id, least(w.step, l.last_step) as step, sum(w.reward order by w.step) as reward,
      (array_agg(w.gain order by w.step desc) filter (where w.gain is not null))[1] as gain,
      sum((w.parts ->> 'format')::double precision) / nullif(sum(w.format_errors), 0) as penalty,
      coalesce(bool_or(w.parts ?| array['evaluation', 'no_valid']), false) as rated, sum(w.format_errors) as format_errors
    from (select g.asked, array_agg(g.run_id) as ids from given g group by g.asked) x
    cross join lateral episode_rewards(x.ids, x.asked, true) w
    join (select distinct a.run_id, a.last_step from acted a) l on l.run_id = w.run_id
    group by w.run_id, least(w.step, l.last_step)
  )
  select
    a.run_id, a.seq,
    case
      when not a.acts then p.penalty
      when p.rated or p.format_errors > a.unused then p.reward - coalesce(a.unused * p.penalty, 0)
    end,
    case when a.acts then p.gain end, not a.acts or coalesce(s.action is null and s.run_id is not null, false)
  from acted a
  left join paid p on p.run_id = a.run_id and p.step = a.step
  left join steps s on s.run_id = a.run_id and s.step = a.step
$$;

comment on function action_rewards is 'What each action of these episodes (null: all) earned, as their resets asked: episode_rewards() by action. format_error: nothing was executed.';
