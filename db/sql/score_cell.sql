-- What performance profiles, the areas under them (AUP), ranks and Borda points are computed from; docs/concepts/leaderboard.md gives the formulas. Functions of
-- cells are strict, which keeps them from being inlined: what they are given is computed once.
-- A cell is one method at one task; ran is false where only the infrastructure failed, so that nothing is known of the method.
create type score_cell as (
  method text,
  is_baseline boolean,
  task text,
  direction text,
  baseline double precision,
  best double precision,
  last double precision,
  ran boolean
);

comment on type score_cell is 'One method at one task of a comparison: the best of its attempts, and of its submissions; null: no score.';
