create view run_exits as
  select
    r.run_id, r.batch_id, r.model_name as model, r.model_kind, r.task_id as task, r.attempt,
    r.end_reason, r.final_evaluation, s.status, l.labels,
    case
      when not exists (
        select from evaluations e
        where e.run_id = r.run_id and e.split = 'test' and e.kind <> 'baseline' and e.status = 'ok'
      ) then 'failed'
      when s.status is null then null
      when l.labels && '{Success,Max Steps}' then 'complete'
      else 'incomplete'
    end as outcome
  from runs r
  cross join lateral (
    select coalesce(
      r.exit_status,
      nullif(mlgym_exit_status(r.end_reason, r.final_evaluation), ''),
      nullif(r.end_reason, 'unknown')
    ) as status
  ) s
  cross join lateral (select exit_labels(s.status) as labels) l
  where r.status = 'ended';

comment on view run_exits is 'How ended runs ended: status (in MLGym''s words where it has any), labels, and outcome: failed (no score), incomplete, complete; null: not recorded.';
