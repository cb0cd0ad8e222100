create view search_tree_totals as
  select
    t.run_id, t.policy, t.max_nodes, t.max_validations, t.cost_limit_usd, t.token_limit, t.seconds_limit,
    t.stopped, t.chosen, c.run_id as chosen_run,
    case v.direction when 'minimize' then -c.value else c.value end as chosen_score, r.final_score,
    k.nodes, k.open, k.scored, k.failed, k.lost, k.waves, k.validations,
    k.charged_usd + asked.usd as charged_usd, k.charged_tokens + asked.tokens as charged_tokens,
    k.charged_seconds + asked.seconds as charged_seconds,
    asked.answers as asked_answers, asked.usd as asked_usd, asked.tokens as asked_tokens
  from search_trees t
  join runs r on r.run_id = t.run_id
  join task_versions v on v.content_hash = r.task_hash
  left join search_nodes c on c.tree_run_id = t.run_id and c.node = t.chosen
  cross join lateral (
    select
      count(*) as nodes, count(*) filter (where n.status = 'open') as open, count(*) filter (where n.status = 'scored') as scored,
      count(*) filter (where n.status = 'failed') as failed, count(*) filter (where n.status = 'lost') as lost,
      coalesce(max(n.wave), 0) as waves, coalesce(sum(coalesce(n.validations, 1)), 0) as validations,
      coalesce(sum(coalesce(n.spent_usd, n.reserved_usd)), 0) as charged_usd,
      coalesce(sum(coalesce(n.spent_tokens, n.reserved_tokens)), 0) as charged_tokens,
      coalesce(sum(coalesce(n.spent_seconds, n.reserved_seconds)), 0) as charged_seconds
    from search_nodes n where n.tree_run_id = t.run_id
  ) k
  cross join lateral (
    select
      count(*) filter (where c.status = 'confirmed') as answers,
      coalesce(sum(case c.status when 'confirmed' then c.cost_usd else c.reserved_usd end), 0) as usd,
      coalesce(sum(c.input_tokens + c.output_tokens), 0) as tokens, coalesce(sum(c.ms), 0) / 1000.0 as seconds
    from model_calls c where c.run_id = t.run_id and c.step = 0 and c.status <> 'failed'
  ) asked;

comment on view search_tree_totals is 'Search trees: their limits, and what they are charged: what settled nodes used, and what open ones may. asked: what a tree asked its model about itself, part of the charge.';
