create view tree_totals as
  select
    t.run_id, t.policy, t.max_nodes, t.max_validations, t.cost_limit_usd, t.token_limit, t.seconds_limit,
    t.stopped, t.selected_node, c.run_id as selected_run,
    case v.direction when 'minimize' then -c.value else c.value end as selected_score, r.final_score,
    k.nodes, k.open, k.scored, k.failed, k.lost, k.waves, k.validations,
    k.charged_usd + own.usd as charged_usd, k.charged_tokens + own.tokens as charged_tokens,
    k.charged_seconds + own.seconds as charged_seconds
  from trees t
  join runs r on r.run_id = t.run_id
  join task_versions v on v.content_hash = r.task_hash
  left join tree_nodes c on c.tree_run_id = t.run_id and c.node = t.selected_node
  cross join lateral (
    select
      count(*) as nodes, count(*) filter (where n.status = 'open') as open, count(*) filter (where n.status = 'scored') as scored,
      count(*) filter (where n.status = 'failed') as failed, count(*) filter (where n.status = 'lost') as lost,
      coalesce(max(n.wave), 0) as waves, coalesce(sum(coalesce(n.validations, 1)), 0) as validations,
      coalesce(sum(coalesce(n.spent_usd, n.reserved_usd)), 0) as charged_usd,
      coalesce(sum(coalesce(n.spent_tokens, n.reserved_tokens)), 0) as charged_tokens,
      coalesce(sum(coalesce(n.spent_seconds, n.reserved_seconds)), 0) as charged_seconds
    from tree_nodes n where n.tree_run_id = t.run_id
  ) k
  -- Trees of earlier versions called their model themselves.
  cross join lateral (
    select
      coalesce(sum(case c.status when 'confirmed' then c.cost_usd else c.reserved_usd end), 0) as usd,
      coalesce(sum(c.input_tokens + c.output_tokens), 0) as tokens, coalesce(sum(c.ms), 0) / 1000.0 as seconds
    from model_calls c where c.run_id = t.run_id and c.step = 0 and c.status <> 'failed'
  ) own;

comment on view tree_totals is 'Search trees: their limits, and what they are charged: what settled nodes used, and what open ones may.';
