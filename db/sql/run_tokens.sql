-- Runs without a trajectory have no record of their tokens, and other records may lack a count, too.
create view run_tokens as
  select
    r.run_id,
    case when known.input then r.input_tokens end as input_tokens,
    case when known.output then r.output_tokens end as output_tokens
  from runs r
  left join imports i on i.run_id = r.run_id and i.format = 'mlgym'
  cross join lateral (
    select
      (r.end_reason is distinct from 'unknown' or r.exit_status is not null)
        and (i.run_id is null or coalesce(i.model_stats @@ '$.tokens_sent >= 0', false)) as input,
      (r.end_reason is distinct from 'unknown' or r.exit_status is not null)
        and (i.run_id is null or coalesce(i.model_stats @@ '$.tokens_received >= 0', false)) as output
  ) known;

comment on view run_tokens is 'Token counts of each run; null: an imported run whose harness recorded none (0 in runs).';
