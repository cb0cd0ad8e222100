create function exit_of(exit_status text, end_reason text, final_evaluation text, scored boolean)
returns table (status text, labels text[], outcome text) language sql immutable as $$
  select s.status, l.labels,
    case
      when not scored then 'failed'
      when s.status is null then null
      when l.labels && '{Success,Max Steps}' then 'complete'
      else 'incomplete'
    end
  from (
    select coalesce(
      exit_status,
      nullif(mlgym_exit_status(end_reason, final_evaluation), ''),
      nullif(end_reason, 'unknown')
    ) as status
  ) s
  cross join lateral (select exit_labels(s.status) as labels) l
$$;

comment on function exit_of is 'How an ended run ended, by what was recorded of it and whether it has a score: status (in MLGym''s words where it has any), labels, and outcome: failed (no score), incomplete, complete; null: not recorded.';
