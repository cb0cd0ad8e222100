import type { IntegrityRule } from '../integrity-rules.js';
import type { ModelKind } from '../model.js';
import type { ScoredIsolation } from '../run.js';
import type { Direction } from '../score.js';
import type { Interval } from '../statistics/intervals.js';
import type { ProfileStep } from '../statistics/profile-steps.js';

export type LeaderboardMetric = 'best-attempt' | 'best-submission';

export type LeaderboardMode = 'strict' | 'compat';

/** What is compared, and by which rules: all that a saved comparison fixes. */
export interface ComparisonOptions {
  batchId?: string | undefined;
  models?: string[] | undefined;
  /** Ids; `id@contract`: of that contract. Without one, the newest that has runs is compared. */
  tasks?: string[] | undefined;
  /** Only the first k counted runs of each (model, task); default: all. */
  k?: number | undefined;
  /** Length of the profiles' axis in log10 units; default: as the data give it. */
  axis?: number | undefined;
  /** Orders the rows; default best-attempt. */
  metric?: LeaderboardMetric | undefined;
  /** strict (default): suspect scores do not count; compat: they do. */
  mode?: LeaderboardMode | undefined;
  includeSuspect?: boolean | undefined;
  /** Rank rows whose isolation is none; default false: they are listed without a rank. */
  includeLocal?: boolean | undefined;
  /** Rank runs that came in lines of another home's; default false: they are listed without a rank. */
  includeImported?: boolean | undefined;
  /** Of runs on sample data, and of tasks that need no data; default: of runs on real data, and of those. */
  sample?: boolean | undefined;
  /**
   * Of runs under this profile of their task, and of tasks that do not have it; default: the tasks' own budgets, and with `sample` those that sample
   * data imply. One that no submitted task has: BenchError, usage.
   */
  profile?: string | undefined;
  /** Rank rows of scripted, replayed and oracle agents and of people; default false. */
  includeScripted?: boolean | undefined;
}

export interface LeaderboardOptions extends ComparisonOptions {
  /** A saved comparison; of the options above only `metric` may stand beside it. Unknown: BenchError, not_found. */
  comparison?: string | undefined;
  /** How often attempts and tasks are drawn anew for the intervals; default 0: no intervals. */
  resamples?: number | undefined;
  /** Of the resamples; default 1. */
  seed?: number | undefined;
  /** Estimate, beside the scores, the best of so many attempts without bias. */
  estimateK?: number | undefined;
}

/** How a score stands to its task's baseline; not_run: only the infrastructure failed. */
export type ScoreStatus = 'feasible' | 'infeasible' | 'missing' | 'not_run';

/** One (model, task) cell. */
export interface LeaderboardScore {
  best: number | null;
  last: number | null;
  mean: number | null;
  /** Position within the task among ranked rows and the baseline; ties share the mean position, missing scores come last. */
  bestRank: number | null;
  lastRank: number | null;
  /** Null: not compared. */
  bestStatus: ScoreStatus | null;
  lastStatus: ScoreStatus | null;
  /** To the best of the task, 1 or more; a failure has its penalty. Null: not compared, or no method solves the task. */
  bestRatio: number | null;
  lastRatio: number | null;
  /** Unbiased estimate of the best of k attempts, those without a score taken as the baseline. Null: not asked for, or fewer than k. */
  expectedBest: number | null;
  expectedLast: number | null;
  /** The runs that the best and the last score come from. */
  bestRun: string | null;
  lastRun: string | null;
  /** Per counted run, in order; null: without a score. */
  bestAttempts: (number | null)[];
  lastAttempts: (number | null)[];
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

/** Of 95 %, from one way to resample. Null: nothing to vary (one task, or one attempt at each). */
export interface LeaderboardUncertainty {
  bestAup: Interval | null;
  lastAup: Interval | null;
  /** Of the largest AUP among the ranked rows. */
  probabilityOfRank1: { best: number; last: number } | null;
}

export interface LeaderboardRow {
  /** By average rank. Null: not ranked (see `unranked`). Equal average ranks share a rank. */
  rank: number | null;
  unranked: 'import' | 'isolation' | 'kind' | 'spoiler' | null;
  model: string;
  kind: ModelKind;
  isolation: ScoredIsolation;
  /**
   * Areas under the performance profiles of the best and of the last scores. strict: 0 to 1; compat: in log10 units, at most T.
   * Null: not ranked, or nothing to compare.
   */
  bestAup: number | null;
  lastAup: number | null;
  /** Both areas if suspect scores counted too. Null: not ranked, they do count, or there are none. */
  withSuspects: { bestAup: number | null; lastAup: number | null } | null;
  /** `attempts`: were the runs repeated; `tasks`: were there other tasks (and runs). Null: not ranked, or not asked for. */
  intervals: { attempts: LeaderboardUncertainty; tasks: LeaderboardUncertainty } | null;
  /** Steps [log10 ratio, share of the tasks]; null: not ranked. */
  profile: { best: ProfileStep[]; last: ProfileStep[] } | null;
  /** Tasks whose best score is at least the baseline's; without a score; at which only the infrastructure failed. */
  solvedTasks: number | null;
  missingTasks: number | null;
  notRunTasks: number | null;
  averageRank: number | null;
  borda: number | null;
  attempts: number;
  ended: number;
  infraErrors: number;
  configErrors: number;
  cancelled: number;
  suspect: number;
  /** Runs that bear the mark of a rule; rules that found none are left out. */
  marks: Partial<Record<IntegrityRule, number>>;
  /** Of runs that bench played. */
  costUsd: string;
  /** Of such a run that ended, repetitions included. Null: none has. */
  costPerRunUsd: string | null;
  /** Of imported runs, as their own harness recorded it, by its prices; null: there are none, or it recorded none. */
  recordedCostUsd: string | null;
  recordedCostPerRunUsd: string | null;
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
  /** False: no ranked model was submitted for it, and it is no part of the figures. */
  compared: boolean;
}

/** What a saved comparison leaves out, and what came to it later. */
export interface SavedComparisonState {
  name: string;
  createdAt: string;
  /** Models with runs at its tasks that it does not compare. */
  otherModels: string[];
  /** Of its models and tasks, ended after it was saved: these do change its figures. */
  runsSince: { model: string; task: string; runs: number }[];
  /** Runs of its models at its tasks under another contract, which it leaves out. */
  otherContracts: { task: string; contract: number; runs: number }[];
  /** Baselines that its tasks have by now, where they are not those that it keeps; null: none. */
  movedBaselines: { task: string; saved: number | null; now: number | null }[];
}

export interface Leaderboard {
  comparison: {
    models: string[];
    tasks: string[];
    k: number | null;
    /** Length of the profiles' axis, in log10 units of the ratio to the best; null: nothing to compare. */
    T: number | null;
    /** Whether T was given, so that new data do not change it. */
    fixedT: boolean;
    mode: LeaderboardMode;
    metric: LeaderboardMetric;
    includeSuspect: boolean;
    includeLocal: boolean;
    includeImported: boolean;
    includeScripted: boolean;
    /** Of runs on sample data, and of tasks that need no data. */
    sample: boolean;
    /** Of runs under this profile, and of tasks that do not have it; `default`: the tasks' own budgets. */
    profile: string;
    /** Ended runs at these tasks and of these models under other profiles, which are left out. */
    otherProfiles: { profile: string; runs: number }[];
    batchId: string | null;
    resamples: number;
    seed: number;
    estimateK: number | null;
    saved: SavedComparisonState | null;
  };
  tasks: LeaderboardTask[];
  /** The starters, as one more method of the comparison; null: no task has a baseline. */
  baseline: {
    bestAup: number;
    lastAup: number;
    averageRank: number | null;
    borda: number | null;
    profile: { best: ProfileStep[]; last: ProfileStep[] };
  } | null;
  rows: LeaderboardRow[];
}
