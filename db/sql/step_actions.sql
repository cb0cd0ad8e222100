create view step_actions as
  select
    s.run_id, r.batch_id, r.model_name as model, r.model_kind, r.task_id as task, s.step,
    action_category(s.action) as category, action_category_strict(s.action) as strict_category
  from steps s join runs r on r.run_id = s.run_id;

comment on view step_actions is 'Each step with the category of its action, as MLGym counts it and strict.';
