create function score_runs(include_suspect boolean default false) returns table (
  run_id text,
  batch_id text,
  model text,
  model_kind text,
  agent text,
  task text,
  task_hash text,
  contract integer,
  primary_metric text,
  direction text,
  attempt integer,
  ordinal integer,
  isolation text,
  status text,
  end_reason text,
  final_evaluation text,
  counted boolean,
  superseded boolean,
  best_attempt double precision,
  best_number integer,
  last_attempt double precision,
  last_number integer,
  final_score double precision,
  evaluations bigint,
  suspects bigint,
  steps integer,
  cost_usd numeric,
  input_tokens bigint,
  output_tokens bigint,
  created_at timestamp with time zone,
  sample boolean,
  profile text,
  forked_from text,
  replaces text
) language sql stable as $$
  select
    r.run_id, r.batch_id, r.model_name, r.model_kind, r.agent_name, r.task_id, r.task_hash, r.contract,
    v.primary_metric, v.direction, r.attempt, r.ordinal,
    case
      when r.origin = 'import' then 'import'
      when r.isolation = 'none' or t.without_isolation then 'none'
      when r.isolation is null and r.backend = 'local' then 'none'
      else 'container'
    end,
    r.status, r.end_reason, r.final_evaluation,
    r.status = 'ended' and r.end_reason not in ('budget', 'cancelled', 'config_error', 'infra_error'),
    r.status = 'ended' and r.end_reason in ('budget', 'cancelled', 'config_error', 'infra_error')
      and exists (select from runs successor where successor.replaces = r.run_id),
    case when include_suspect then t.best_attempt_of_all else t.best_attempt end,
    case when include_suspect then t.best_number_of_all else t.best_number end,
    case when include_suspect then t.last_attempt_of_all else t.last_attempt end,
    case when include_suspect then t.last_number_of_all else t.last_number end,
    r.final_score, coalesce(t.evaluations, 0)::bigint, coalesce(t.suspects, 0)::bigint,
    r.step, r.cost_usd, r.input_tokens, r.output_tokens, r.created_at,
    r.sample, v.spec ->> 'profile', r.forked_from, r.replaces
  from runs r
  join task_versions v on v.content_hash = r.task_hash
  left join run_results t on t.run_id = r.run_id
$$;

comment on function score_runs is 'Scores of every run: the one definition that leaderboards use. include_suspect: count suspect scores too.';
