import type { ModelKind } from '../../domain/model.js';
import type { Isolation } from '../../domain/run.js';
import type { Direction } from '../../domain/score.js';

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
