create function rank_models(grid leaderboard_score[]) returns table (
  model text,
  model_kind text,
  isolation text,
  unranked text,
  best_place bigint,
  average_best_rank double precision,
  last_place bigint,
  average_last_rank double precision,
  tasks bigint,
  scored_tasks bigint,
  attempts bigint,
  ended bigint,
  infra_errors bigint,
  config_errors bigint,
  cancelled bigint,
  refused bigint,
  suspects bigint,
  cost_usd numeric,
  cost_per_run_usd numeric,
  input_tokens numeric,
  output_tokens numeric
) language sql stable strict as $$
  with totals as (
    select
      l.model, l.model_kind, l.isolation, l.unranked,
      avg(l.best_rank) as average_best_rank, avg(l.last_rank) as average_last_rank,
      count(*) as tasks, count(l.best_attempt) as scored_tasks,
      sum(l.attempts)::bigint as attempts, sum(l.ended)::bigint as ended,
      sum(l.infra_errors)::bigint as infra_errors, sum(l.config_errors)::bigint as config_errors,
      sum(l.cancelled)::bigint as cancelled, sum(l.refused)::bigint as refused, sum(l.suspects)::bigint as suspects,
      sum(l.cost_usd) as cost_usd, sum(l.input_tokens) as input_tokens, sum(l.output_tokens) as output_tokens
    from unnest(grid) l
    group by l.model, l.model_kind, l.isolation, l.unranked
  )
  select
    t.model, t.model_kind, t.isolation, t.unranked,
    case when t.average_best_rank is not null then
      rank() over (partition by t.average_best_rank is null order by t.average_best_rank)
    end,
    t.average_best_rank,
    case when t.average_last_rank is not null then
      rank() over (partition by t.average_last_rank is null order by t.average_last_rank)
    end,
    t.average_last_rank,
    t.tasks, t.scored_tasks, t.attempts, t.ended, t.infra_errors, t.config_errors, t.cancelled, t.refused, t.suspects,
    t.cost_usd, t.cost_usd / nullif(t.ended, 0), t.input_tokens, t.output_tokens
  from totals t
$$;

comment on function rank_models is 'leaderboard_models() of a grid that leaderboard() made.';
