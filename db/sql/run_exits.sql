create view run_exits as
  select
    r.run_id, (select b.project from batches b where b.batch_id = r.batch_id) as project, r.batch_id, r.model_name as model, r.model_kind, r.task_id as task, r.attempt,
    r.end_reason, r.final_evaluation, x.status, x.labels, x.outcome
  from runs r
  cross join lateral exit_of(
    r.exit_status, r.end_reason, r.final_evaluation,
    exists (
      select from evaluations e
      where e.run_id = r.run_id and e.split = 'test' and e.kind <> 'baseline' and e.status = 'ok'
    )
  ) x
  where r.status = 'ended';

comment on view run_exits is 'How ended runs ended: status (in MLGym''s words where it has any), labels, and outcome: failed (no score), incomplete, complete; null: not recorded.';
