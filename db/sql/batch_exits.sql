-- Runs that ended alike are counted before their outcome is found: a batch may have a hundred thousand, in a dozen ways.
create view batch_exits as
  select g.batch_id, g.end_reason, g.final_evaluation, x.status, x.labels, x.outcome, sum(g.runs)::bigint as runs
  from (
    select r.batch_id, r.end_reason, r.final_evaluation, r.exit_status,
      exists (
        select from evaluations e
        where e.run_id = r.run_id and e.split = 'test' and e.kind <> 'baseline' and e.status = 'ok'
      ) as scored,
      count(*) as runs
    from runs r
    where r.status = 'ended'
    group by 1, 2, 3, 4, 5
  ) g
  cross join lateral exit_of(g.exit_status, g.end_reason, g.final_evaluation, g.scored) x
  group by 1, 2, 3, 4, 5, 6;

comment on view batch_exits is 'Ended runs of each batch, counted by how they ended, as run_exits tells of each.';
