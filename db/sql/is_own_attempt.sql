-- Whether a run is an attempt of its own in the leaderboard of a batch; null: in that over all batches. Forks are none there, nor in the
-- batch of the run that they fork, nor are their replacements. Other replacements continue or repeat their run.
create function is_own_attempt(run text, for_batch text) returns boolean language sql stable as $$
  with recursive line as (
    select r.run_id, r.replaces, r.forked_from from runs r where r.run_id = run
    union
    select r.run_id, r.replaces, r.forked_from from line l join runs r on r.run_id = l.replaces
  )
  select coalesce(for_batch <> o.batch_id, o.batch_id is null)
  from line l left join runs o on o.run_id = l.forked_from
  where l.replaces is null
$$;

comment on function is_own_attempt is 'Whether a run counts in a leaderboard of a batch, or (null) over all: not a fork nor its repetition, unless of a run in another batch.';
