create view tree_node_results as
  select
    n.tree_run_id, n.node, n.run_id, n.wave, n.operator, n.parent, n.second_parent, n.status,
    case v.direction when 'minimize' then -n.value else n.value end as score,
    r.status as run_status, r.end_reason, r.step - coalesce(r.forked_at_step, 0) as steps,
    n.reserved_usd, n.reserved_tokens, n.reserved_seconds, n.spent_usd, n.spent_tokens, n.spent_seconds, n.validations,
    coalesce(n.node = t.selected_node, false) as selected
  from tree_nodes n
  join trees t on t.run_id = n.tree_run_id
  join runs r on r.run_id = n.run_id
  join task_versions v on v.content_hash = r.task_hash;

comment on view tree_node_results is 'Nodes of search trees: parents, validation score in the task''s direction, and what each used. steps: its own.';
