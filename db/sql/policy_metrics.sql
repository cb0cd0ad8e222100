create view policy_metrics as
  select b.batch_id, p.*
  from batches b cross join lateral measure_policies(b.batch_id) p
  where b.training;

comment on view policy_metrics is 'Figures of training by policy version; name the batch_id. See measure_policies().';
