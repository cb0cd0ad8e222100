-- An action ends when its run asks for the next one: then its outcome is returned.
create function episode_times(run_ids text[] default null) returns table (
  run_id text,
  seq integer,
  step integer,
  policy_version integer,
  think_ms double precision,
  queue_ms double precision,
  command_ms double precision,
  evaluation_ms double precision,
  platform_ms double precision
) language sql stable as $$
  with given as materialized (
    select
      e.run_id, e.created_at, r.started_at, r.ended_at, coalesce(r.forked_at_step, 0) as copied,
      case when v.spec -> 'splits' ? 'validation' then 'validation' else 'test' end as shown
    from (select distinct i.id from unnest(coalesce(run_ids, array(select a.run_id from episodes a))) i (id)) i
    join episodes e on e.run_id = i.id
    join runs r on r.run_id = e.run_id
    join task_versions v on v.content_hash = r.task_hash
  ),
  asked as (
    select t.run_id, t.step, t.try, lead(t.created_at) over (partition by t.run_id order by t.step, t.try) as over_at
    from given g join turns t on t.run_id = g.run_id
  ),
  taken as materialized (
    select
      a.run_id, a.seq, a.step, a.policy_version, a.created_at, coalesce(q.over_at, g.ended_at) as over_at, g.started_at,
      coalesce(lag(q.over_at) over episode, g.created_at) as shown_at,
      lead(a.step) over episode is distinct from a.step as acts, lead(a.seq) over episode is null as last
    from given g
    join episode_actions a on a.run_id = g.run_id
    left join asked q on q.run_id = a.run_id and q.step = a.step and q.try = a.try
    window episode as (partition by a.run_id order by a.seq)
  ),
  evaluated as materialized (
    select e.run_id, e.step, e.split = g.shown as shown, sum(e.ms) as ms
    from given g join evaluations e on e.run_id = g.run_id and e.step > g.copied
    where e.kind <> 'baseline'
    group by 1, 2, 3
  ),
  -- The last action waits for all that is evaluated at the end, and on a split that is not shown.
  closing as materialized (
    select t.run_id, sum(v.ms) as ms
    from taken t join evaluated v on v.run_id = t.run_id
    where t.last and (not v.shown or v.step >= t.step)
    group by t.run_id
  ),
  parts as (
    select
      t.*, extract(epoch from t.over_at - t.created_at)::float8 * 1000 as whole,
      greatest(extract(epoch from t.created_at - t.shown_at)::float8 * 1000, 0) as think,
      case when t.seq = 1 then greatest(extract(epoch from t.started_at - t.created_at)::float8 * 1000, 0) else 0 end as queue,
      coalesce(case when t.acts then s.command_ms end, 0) as command,
      coalesce(case when t.last then c.ms when t.acts then v.ms end, 0) as evaluation
    from taken t
    left join steps s on s.run_id = t.run_id and s.step = t.step
    left join evaluated v on v.run_id = t.run_id and v.step = t.step and v.shown
    left join closing c on c.run_id = t.run_id
  )
  select
    p.run_id, p.seq, p.step, p.policy_version, p.think, coalesce(p.queue, 0), p.command, p.evaluation,
    greatest(p.whole - coalesce(p.queue, 0) - p.command - p.evaluation, 0)
  from parts p
$$;

comment on function episode_times is 'Where the time of each action went: the policy thinks, the run waits for its sandbox (first action), the command, evaluations, and what is left, which is ours (null: not over).';
