create view leaderboard_entries as
  select b.project, b.batch_id, b.name as batch_name, e.*
  from batches b cross join lateral leaderboard_scores(b.batch_id) e;

comment on view leaderboard_entries is 'Per batch, model, isolation and task: best attempt and best submission over runs, suspect scores omitted.';
