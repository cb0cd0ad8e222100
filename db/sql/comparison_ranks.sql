-- Positions per task, from 1; equal scores, and the missing ones at the end, share the mean of their positions. Not run: none.
create function comparison_ranks(cells score_cell[]) returns table (
  kind text,
  task text,
  method text,
  is_baseline boolean,
  score double precision,
  place double precision
) language sql stable strict as $$
  with scored as (
    select
      k.kind, c.task, c.method, c.is_baseline, c.ran,
      case k.kind when 'best' then c.best else c.last end as score,
      case c.direction when 'maximize' then -1 else 1 end * case k.kind when 'best' then c.best else c.last end as key
    from unnest(cells) c cross join (values ('best'), ('last')) k (kind)
  )
  select
    s.kind, s.task, s.method, s.is_baseline, s.score,
    case when s.ran then
      rank() over (partition by s.kind, s.task, s.ran order by s.key nulls last)
      + (count(*) over (partition by s.kind, s.task, s.ran, s.key) - 1) / 2.0
    end
  from scored s
$$;

comment on function comparison_ranks is 'Position of each method at each task.';
