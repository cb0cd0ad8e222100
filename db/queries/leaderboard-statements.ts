import { BenchError } from '../../domain/errors.js';
import type { SavedComparison } from '../../domain/views/comparisons.js';
import type { LeaderboardRow, LeaderboardTask } from '../../domain/views/leaderboard.js';
import type { Statements } from '../statements.js';
import type { Columns } from './columns.js';
import type { CellRow } from './leaderboard-cells.js';
import { type Choices, parametersOf } from './leaderboard-choices.js';
import { anyFlagged, otherProfiles } from './leaderboard-extras.js';
import type { RatioRow } from './leaderboard-ratios.js';

type Extras = Pick<LeaderboardRow, 'withSuspects' | 'flags' | 'costKind' | 'unknownCosts'>;

export type Headline = Pick<LeaderboardRow, 'winRate' | 'gain' | 'curve'>;

export type ModelRow = Omit<
  LeaderboardRow,
  keyof Area | keyof Extras | keyof Headline | 'scores' | 'intervals' | 'profile'
>;

export type Area = Pick<LeaderboardRow, 'bestAup' | 'lastAup' | 'improvedTasks' | 'missingTasks' | 'notRunTasks'>;

export type SuspectArea = NonNullable<LeaderboardRow['withSuspects']> & { method: string };

export interface Found {
  tasks: Omit<LeaderboardTask, 'ranking'>[];
  cells: Columns<CellRow>;
  models: ModelRow[];
  areas: (Omit<Area, 'improvedTasks'> & { method: string; axis: number })[];
  ratios: Columns<RatioRow>;
  starter: { averageRank: number } | null;
}

/**
 * SQL functions compute every figure but headlines and intervals (leaderboard-figures.ts).
 * One statement, hence one snapshot, over one grid, which is computed once.
 */
const STATEMENT = (metric: 'best' | 'last', suffix: '_strict' | '') => `
  with given as materialized (
    select array_agg(l order by l.task, l.model, l.model_kind, l.isolation) as grid
    from leaderboard($1, $2::text[], $3::text[], $4::int, $5, $6, $7, $9, $10, $11::float8[], $12, $13::float8[], $14::float8[]) l
  ),
  compared as materialized (select compared_cells(grid) as cells from given)
  select
    (select coalesce(json_agg(json_build_object(
       'task', t.task, 'name', (
         select v.name from task_versions v where v.task_id = t.task and v.contract = t.contract
         order by v.created_at desc limit 1
       ), 'contract', t.contract, 'primary', t.primary_metric, 'direction', t.direction, 'baseline', t.baseline,
       'standardError', t.standard_error, 'target', t.target, 'compared', t.compared
     ) order by t.task), '[]')
     from (
       select l.task, l.contract, l.primary_metric, l.direction, l.baseline, l.standard_error, l.target, bool_or(l.compared) as compared
       from given, unnest(given.grid) l group by 1, 2, 3, 4, 5, 6, 7
     ) t) as tasks,
    (select json_build_object(
       'model', json_agg(l.model), 'kind', json_agg(l.model_kind), 'isolation', json_agg(l.isolation),
       'task', json_agg(l.task), 'compared', json_agg(l.compared), 'ran', json_agg(l.ran),
       'best', json_agg(l.best_attempt), 'last', json_agg(l.best_submission), 'mean', json_agg(l.mean),
       'bestRank', json_agg(l.best_rank), 'lastRank', json_agg(l.last_rank),
       'bestRun', json_agg(l.best_run), 'lastRun', json_agg(l.best_submission_run),
       'bestAttempts', json_agg(l.best_attempts), 'lastAttempts', json_agg(l.last_attempts),
       'attempts', json_agg(l.attempts), 'ended', json_agg(l.ended), 'counted', json_agg(l.counted), 'scored', json_agg(l.scored),
       'infraErrors', json_agg(l.infra_errors), 'configErrors', json_agg(l.config_errors),
       'cancelled', json_agg(l.cancelled), 'refused', json_agg(l.refused), 'suspect', json_agg(l.suspects),
       'costUsd', json_agg(trim_scale(l.cost_usd)::text)
     )
     from given, unnest(given.grid) l) as cells,
    (select coalesce(json_agg(json_build_object(
       'rank', m.${metric}_place, 'unranked', m.unranked, 'model', m.model, 'kind', m.model_kind,
       'isolation', m.isolation, 'averageRank', m.average_${metric}_rank,
       'attempts', m.attempts, 'ended', m.ended, 'infraErrors', m.infra_errors, 'configErrors', m.config_errors,
       'cancelled', m.cancelled, 'refused', m.refused, 'suspect', m.suspects, 'costUsd', trim_scale(m.cost_usd)::text,
       'costPerRunUsd', trim_scale(round(m.cost_per_run_usd, 10))::text,
       'inputTokens', m.input_tokens, 'outputTokens', m.output_tokens
     ) order by m.${metric}_place nulls last, m.model, m.model_kind, m.isolation), '[]')
     from given, rank_models(given.grid) m) as models,
    (select coalesce(json_agg(json_build_object(
       'method', a.method, 'axis', a.axis, 'bestAup', a.best_aup${suffix}, 'lastAup', a.last_aup${suffix},
       'missingTasks', a.missing, 'notRunTasks', a.not_run
     )), '[]')
     from compared, areas_under_profiles(compared.cells, fixed_axis => $8) a) as areas,
    (select json_build_object(
       'method', json_agg(r.method), 'task', json_agg(r.task), 'kind', json_agg(r.kind), 'status', json_agg(r.status),
       'ratio', json_agg(r.ratio)
     )
     from compared, performance_ratios(compared.cells) r) as ratios,
    (select json_build_object('averageRank', b.average_${metric}_rank)
     from given, baseline_ranks(given.grid) b) as starter`;

/** The areas alone. */
const AREAS = (suffix: '_strict' | '') => `
  with compared as materialized (
    select compared_cells(array_agg(l order by l.task, l.model, l.model_kind, l.isolation)) as cells
    from leaderboard($1, $2::text[], $3::text[], $4::int, $5, $6, $7, $9, $10, $11::float8[], $12, $13::float8[], $14::float8[]) l
  )
  select a.method, a.best_aup${suffix} as "bestAup", a.last_aup${suffix} as "lastAup"
  from compared, areas_under_profiles(compared.cells, fixed_axis => $8) a`;

/** The comparison, the areas with flagged runs, and the profiles that were left out. */
export async function readComparison(run: Statements, choices: Choices, saved: SavedComparison | null) {
  const { mode, kind, batchId, tasks, models, sample, profile, include } = choices;
  const countsSuspects = include.includes('suspect');
  const suffix = mode === 'strict' ? '_strict' : '';
  // Most often nothing is flagged, and the areas are the same.
  const areasWithFlagged = async () =>
    (await anyFlagged(run, batchId))
      ? run<SuspectArea>('withSuspects', AREAS(suffix), parametersOf(choices, saved, true))
      : [];
  // Statements run side by side where none needs what another finds.
  const [[result], withFlagged, others] = await Promise.all([
    run<Found>('leaderboard', STATEMENT(kind, suffix), parametersOf(choices, saved, countsSuspects)),
    countsSuspects ? [] : areasWithFlagged(),
    otherProfiles(run, { batchId, tasks, models, sample, profile, includeScripted: include.includes('scripted') }),
  ]);
  if (result === undefined) throw new BenchError('failed', 'the database returned no leaderboard');
  return { result, withFlagged, others };
}
