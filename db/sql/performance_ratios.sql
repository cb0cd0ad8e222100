-- One row per (kind, task, method); kind: best or last. A task that no method solves has no ratios and leaves the profiles.
create function performance_ratios(
  cells score_cell[],
  epsilon double precision default 0.05
) returns table (
  kind text,
  task text,
  method text,
  is_baseline boolean,
  score double precision,
  status text,
  ratio double precision,
  best_feasible double precision,
  worst_feasible double precision,
  worst_ratio double precision,
  penalty_ratio double precision,
  tau_ceil double precision
) language sql stable strict as $$
  with scored as (
    select
      k.kind, c.task, c.method, c.is_baseline, c.direction, c.baseline, c.ran,
      case k.kind when 'best' then c.best else c.last end as score
    from unnest(cells) c cross join (values ('best'), ('last')) k (kind)
  ),
  judged as (
    select
      s.*,
      case
        when s.score is null then case when s.ran then 'missing' else 'not_run' end
        -- Ratios of zero or less say nothing, and those of absurd scores would be beyond all numbers.
        when s.score < 1e-100 or s.score > 1e100 then 'infeasible'
        when s.direction = 'maximize' and s.score < s.baseline then 'infeasible'
        when s.direction = 'minimize' and s.score > s.baseline then 'infeasible'
        else 'feasible'
      end as status
    from scored s
  ),
  extremes as (
    select
      j.kind, j.task,
      case j.direction when 'maximize' then max(j.score) else min(j.score) end as best,
      case j.direction when 'maximize' then min(j.score) else max(j.score) end as worst,
      max(j.score) / min(j.score) as worst_ratio
    from judged j where j.status = 'feasible' group by j.kind, j.task, j.direction
  )
  select
    j.kind, j.task, j.method, j.is_baseline, j.score, j.status,
    case
      when j.status <> 'feasible' then e.worst_ratio * (1 + epsilon)
      when j.direction = 'maximize' then e.best / j.score
      else j.score / e.best
    end,
    e.best, e.worst, e.worst_ratio, e.worst_ratio * (1 + epsilon), ceil(e.worst_ratio * (1 + epsilon))
  from judged j left join extremes e on e.kind = j.kind and e.task = j.task
$$;

comment on function performance_ratios is 'Feasibility and performance ratio of each cell (docs/concepts/leaderboard.md).';
