create view run_scores as select * from score_runs(false);

comment on view run_scores is 'score_runs without suspect scores: best and last attempt of each run, and whether it counts.';
