import type { ModelKind } from '../../domain/model.js';
import type { Isolation } from '../../domain/run.js';
import type { Direction } from '../../domain/score.js';
import type { Statements } from '../statements.js';

export interface LeaderboardOptions {
  batchId?: string | undefined;
  models?: string[] | undefined;
  tasks?: string[] | undefined;
  /** Only the first k scored runs of each (model, task); default: all. */
  k?: number | undefined;
  /** Orders the rows; default best-attempt. */
  metric?: 'best-attempt' | 'best-submission' | undefined;
  /** strict (default): suspect scores do not count; compat: they do. */
  mode?: 'strict' | 'compat' | undefined;
  includeSuspect?: boolean | undefined;
  /** Rank rows whose isolation is none; default false: they are listed without a rank. */
  includeLocal?: boolean | undefined;
  /** Rank rows of scripted, replayed and oracle agents; default false. */
  includeScripted?: boolean | undefined;
}

/** One (model, task) cell. */
export interface LeaderboardScore {
  best: number | null;
  last: number | null;
  mean: number | null;
  /** Position within the task among ranked rows; ties share the mean position, missing scores come last. */
  bestRank: number | null;
  lastRank: number | null;
  /** The runs that the best and the last score come from. */
  bestRun: string | null;
  lastRun: string | null;
  /** All runs submitted; of them ended; of them counted (the first k that ended by the agent's doing); with a score. */
  attempts: number;
  ended: number;
  counted: number;
  scored: number;
  infraErrors: number;
  configErrors: number;
  cancelled: number;
  /** Evaluations outside the task's bounds. */
  suspect: number;
  costUsd: string;
}

export interface LeaderboardRow {
  /** Null: not ranked (see `unranked`). Equal average ranks share a rank. */
  rank: number | null;
  unranked: 'isolation' | 'kind' | null;
  model: string;
  kind: ModelKind;
  isolation: Isolation;
  bestAup: number | null;
  lastAup: number | null;
  averageRank: number | null;
  attempts: number;
  ended: number;
  infraErrors: number;
  configErrors: number;
  cancelled: number;
  suspect: number;
  costUsd: string;
  inputTokens: number;
  outputTokens: number;
  scores: Record<string, LeaderboardScore>;
}

export interface LeaderboardTask {
  task: string;
  name: string;
  contract: number;
  primary: string;
  direction: Direction;
  baseline: number | null;
}

export interface Leaderboard {
  comparison: {
    models: string[];
    tasks: string[];
    k: number | null;
    T: number | null;
    mode: 'strict' | 'compat';
    metric: 'best-attempt' | 'best-submission';
    includeSuspect: boolean;
    includeLocal: boolean;
    includeScripted: boolean;
    batchId: string | null;
  };
  tasks: LeaderboardTask[];
  rows: LeaderboardRow[];
}

/** The arguments that leaderboard() and leaderboard_models() share. */
const ARGUMENTS = '$1, $2::text[], $3::text[], $4::int, $5, $6, $7';

type Cell = LeaderboardScore & LeaderboardTask & Pick<LeaderboardRow, 'model' | 'kind' | 'isolation'>;
type ModelRow = Omit<LeaderboardRow, 'bestAup' | 'lastAup' | 'scores'>;

/** Every figure comes from SQL functions, in one statement, so that all of them are of one moment. */
export async function leaderboard(run: Statements, options: LeaderboardOptions): Promise<Leaderboard> {
  const mode = options.mode ?? 'strict';
  const metric = options.metric ?? 'best-attempt';
  const includeSuspect = options.includeSuspect ?? mode === 'compat';
  const includeLocal = options.includeLocal ?? false;
  const includeScripted = options.includeScripted ?? false;
  const [place, average] =
    metric === 'best-attempt' ? ['best_place', 'average_best_rank'] : ['last_place', 'average_last_rank'];
  const [result] = await run<{ cells: Cell[]; models: ModelRow[] }>(
    'leaderboard',
    `select
       (select coalesce(json_agg(json_build_object(
          'model', l.model, 'kind', l.model_kind, 'isolation', l.isolation,
          'task', l.task, 'name', (
            select v.name from task_versions v where v.task_id = l.task and v.contract = l.contract
            order by v.created_at desc limit 1
          ), 'contract', l.contract, 'primary', l.primary_metric, 'direction', l.direction, 'baseline', l.baseline,
          'best', l.best_attempt, 'last', l.best_submission, 'mean', l.mean,
          'bestRank', l.best_rank, 'lastRank', l.last_rank,
          'bestRun', l.best_run, 'lastRun', l.best_submission_run,
          'attempts', l.attempts, 'ended', l.ended, 'counted', l.counted, 'scored', l.scored,
          'infraErrors', l.infra_errors, 'configErrors', l.config_errors, 'cancelled', l.cancelled,
          'suspect', l.suspects, 'costUsd', trim_scale(l.cost_usd)::text
        ) order by l.task, l.model, l.model_kind, l.isolation), '[]')
        from leaderboard(${ARGUMENTS}) l) as cells,
       (select coalesce(json_agg(json_build_object(
          'rank', m.${place}, 'unranked', m.unranked, 'model', m.model, 'kind', m.model_kind,
          'isolation', m.isolation, 'averageRank', m.${average},
          'attempts', m.attempts, 'ended', m.ended, 'infraErrors', m.infra_errors, 'configErrors', m.config_errors,
          'cancelled', m.cancelled, 'suspect', m.suspects, 'costUsd', trim_scale(m.cost_usd)::text,
          'inputTokens', m.input_tokens, 'outputTokens', m.output_tokens
        ) order by m.${place} nulls last, m.model, m.model_kind, m.isolation), '[]')
        from leaderboard_models(${ARGUMENTS}) m) as models`,
    [
      options.batchId ?? null,
      options.models ?? null,
      options.tasks ?? null,
      options.k ?? null,
      includeSuspect,
      includeLocal,
      includeScripted,
    ],
  );
  const cells = result?.cells ?? [];
  const tasks = new Map(
    cells.map(({ task, name, contract, primary, direction, baseline }) => [
      task,
      { task, name, contract, primary, direction, baseline },
    ]),
  );
  const rows = (result?.models ?? []).map((row) => ({
    ...row,
    bestAup: null,
    lastAup: null,
    scores: Object.fromEntries(
      cells
        .filter((c) => c.model === row.model && c.kind === row.kind && c.isolation === row.isolation)
        .map((cell) => [cell.task, scoreOf(cell)]),
    ),
  }));
  return {
    comparison: {
      models: [...new Set(rows.map(({ model }) => model))].sort(),
      tasks: [...tasks.keys()],
      k: options.k ?? null,
      T: null,
      mode,
      metric,
      includeSuspect,
      includeLocal,
      includeScripted,
      batchId: options.batchId ?? null,
    },
    tasks: [...tasks.values()],
    rows,
  };
}

const scoreOf = (cell: Cell): LeaderboardScore => ({
  best: cell.best,
  last: cell.last,
  mean: cell.mean,
  bestRank: cell.bestRank,
  lastRank: cell.lastRank,
  bestRun: cell.bestRun,
  lastRun: cell.lastRun,
  attempts: cell.attempts,
  ended: cell.ended,
  counted: cell.counted,
  scored: cell.scored,
  infraErrors: cell.infraErrors,
  configErrors: cell.configErrors,
  cancelled: cell.cancelled,
  suspect: cell.suspect,
  costUsd: cell.costUsd,
});
