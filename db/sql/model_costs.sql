create function model_costs(price_list text, for_batch text default null) returns table (
  model text,
  model_kind text,
  runs bigint,
  mean_list_usd numeric,
  mean_recorded_usd numeric,
  mean_input_tokens numeric,
  mean_output_tokens numeric,
  list_usd numeric,
  recorded_usd numeric
) language sql stable as $$
  select
    c.model, c.model_kind, count(*), avg(c.list_usd), avg(c.recorded_usd), avg(c.input_tokens), avg(c.output_tokens),
    sum(c.list_usd), sum(c.recorded_usd)
  from run_costs(price_list) c
  where for_batch is null or c.batch_id = for_batch
  group by c.model, c.model_kind
$$;

comment on function model_costs is 'run_costs per model: means over its runs of all tasks, and sums. A sum or mean of list prices omits runs without one.';
