create function measure_episodes(run_ids text[] default null) returns table (
  run_id text,
  batch_id text,
  episode_id text,
  task text,
  group_key text,
  seed bigint,
  protocol text,
  policy_version integer,
  last_policy_version integer,
  status text,
  end_reason text,
  reward double precision,
  gain double precision,
  fault text,
  is_terminated boolean,
  is_truncated boolean,
  truncation_cause text,
  errored boolean,
  abandoned boolean,
  masked boolean,
  num_turns integer,
  steps integer,
  format_errors integer,
  reply_chars bigint,
  reply_tokens bigint,
  commands integer,
  failed_commands integer,
  validations integer,
  reset_ms double precision,
  queue_ms double precision,
  first_command_ms double precision,
  fork_ms double precision,
  created_at timestamptz,
  ended_at timestamptz
) language sql stable as $$
  with given as materialized (
    select
      e.run_id, r.batch_id, e.episode_id, r.task_id, r.task_hash, e.group_key, r.seed, e.protocol, e.policy_version as labelled,
      (e.reset ->> 'policy_version')::integer as reset_version, r.status, r.end_reason, e.reward as asked, e.reset_ms,
      coalesce(r.forked_at_step, 0) as copied, r.forked_from, e.created_at, e.requested_at, r.started_at, r.ended_at
    from (select distinct i.id from unnest(coalesce(run_ids, array(select a.run_id from episodes a))) i (id)) i
    join episodes e on e.run_id = i.id
    join runs r on r.run_id = e.run_id
  ),
  -- Each is paid as its reset asked for.
  returned as materialized (
    select w.*
    from (select g.asked, array_agg(g.run_id) as ids from given g group by g.asked) x
    cross join lateral episode_returns(x.ids, x.asked, true) w
  ),
  acted as materialized (
    select
      a.run_id, count(*)::integer as turns,
      sum(length(coalesce(a.action ->> 'reply', a.action ->> 'command', a.action ->> 'malformed'))) as chars,
      (array_agg(a.policy_version order by a.seq))[1] as first_version,
      (array_agg(a.policy_version order by a.seq desc))[1] as last_version,
      max(a.created_at) filter (where a.step = g.copied + 1) as first_at
    from given g join episode_actions a on a.run_id = g.run_id
    group by a.run_id
  ),
  -- Where a model of ours plays, its calls are the turns.
  called as materialized (
    select c.run_id, count(*)::integer as turns, sum(length(c.response)) as chars, sum(c.output_tokens)::bigint as tokens
    from given g join model_calls c on c.run_id = g.run_id and c.step > g.copied
    where c.status = 'confirmed'
    group by c.run_id
  ),
  executed as materialized (
    select
      s.run_id, count(*)::integer as commands,
      (count(*) filter (where s.timed_out or coalesce(s.exit_code <> 0, false)))::integer as failed,
      min(s.executed_at) filter (where s.step = g.copied + 1) as first_at
    from given g join steps s on s.run_id = g.run_id and s.step > g.copied
    where s.action is not null and s.executed_at is not null and not s.lost
    group by s.run_id
  ),
  validated as materialized (
    select v.run_id, count(*)::integer as validations
    from given g
    join task_versions t on t.content_hash = g.task_hash
    join evaluations v on v.run_id = g.run_id and v.step > g.copied and v.kind = 'validate' and v.status not in ('pending', 'not_run')
      and v.split = case when t.spec -> 'splits' ? 'validation' then 'validation' else 'test' end
    group by v.run_id
  ),
  judged as (
    select
      g.*, w.reward, w.gain, w.fault, coalesce(w.steps, 0) as steps, coalesce(w.format_errors, 0) as format_errors,
      g.status = 'ended' as ended, coalesce(g.end_reason = 'cancelled', false) as abandoned,
      g.status = 'ended' and w.fault is null as whole
    from given g left join returned w on w.run_id = g.run_id
  )
  select
    j.run_id, j.batch_id, j.episode_id, j.task_id, j.group_key, j.seed, j.protocol,
    coalesce(a.first_version, j.reset_version), coalesce(a.last_version, j.labelled), j.status, j.end_reason,
    j.reward, j.gain, case when j.ended then j.fault end,
    j.whole and j.end_reason in ('submit', 'forfeit'), j.whole and j.end_reason not in ('submit', 'forfeit'),
    case when j.whole and j.end_reason not in ('submit', 'forfeit') then j.end_reason end,
    j.ended and not j.whole and not j.abandoned, j.abandoned, j.ended and j.reward is null,
    coalesce(a.turns, c.turns, 0), j.steps, j.format_errors, coalesce(a.chars, c.chars, 0), coalesce(c.tokens, 0),
    coalesce(x.commands, 0), coalesce(x.failed, 0), coalesce(v.validations, 0),
    j.reset_ms, extract(epoch from j.started_at - j.requested_at)::float8 * 1000, extract(epoch from x.first_at - a.first_at)::float8 * 1000,
    case when j.forked_from is not null then extract(epoch from j.started_at - j.created_at)::float8 * 1000 end,
    j.created_at, j.ended_at
  from judged j
  left join acted a on a.run_id = j.run_id
  left join called c on c.run_id = j.run_id
  left join executed x on x.run_id = j.run_id
  left join validated v on v.run_id = j.run_id
$$;

comment on function measure_episodes is 'Figures of these episodes (null: all), rewarded as their resets asked. policy_version: of the first action; errored: a fault of ours; abandoned: no client polled it; masked: ended without a reward.';
