create function run_costs(price_list text) returns table (
  run_id text,
  batch_id text,
  model text,
  model_kind text,
  task text,
  input_tokens bigint,
  output_tokens bigint,
  recorded_usd numeric,
  list_usd numeric
) language sql stable as $$
  select
    r.run_id, r.batch_id, r.model_name, r.model_kind, r.task_id, k.input_tokens, k.output_tokens,
    case r.origin when 'bench' then r.cost_usd when 'import' then coalesce(r.recorded_cost_usd, r.cost_usd) else r.recorded_cost_usd end,
    (
      (k.input_tokens - r.cached_tokens) * p.input_usd + r.cached_tokens * coalesce(p.cached_input_usd, p.input_usd)
      + k.output_tokens * p.output_usd
    ) / 1000000
  from runs r join run_tokens k on k.run_id = r.run_id
  left join lateral (
    select l.* from price_lists l
    where l.list = price_list and l.model = r.model_name
      and l.valid_from <= r.created_at::date and (l.valid_until is null or r.created_at::date < l.valid_until)
    order by l.valid_from desc limit 1
  ) p on true
  -- The tokens of these are not recorded.
  where not coalesce(r.end_reason = 'unknown' and r.exit_status is null, false)
    -- Nodes of search trees are paid by their tree's run.
    and not exists (select from tree_nodes n where n.run_id = r.run_id)
$$;

comment on function run_costs is 'Cost of each run by a price list (null: no price, or not its tokens, known) beside the recorded one. Excludes imported runs without a trajectory.';
