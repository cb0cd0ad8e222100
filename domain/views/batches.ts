import type { BatchStatus } from '../outcomes.js';
import type { Origin } from '../run.js';
import type { RunSummary } from './runs.js';
import type { ProviderTrouble } from './provider-trouble.js';

/** Times are ISO 8601 strings in UTC, money is decimal strings: a summary is printed as JSON as it is. */
export interface BatchSummary {
  batchId: string;
  name: string | null;
  /** Not `bench`: its runs were imported. */
  origin: Origin;
  status: BatchStatus;
  seed: number;
  concurrency: number;
  /** 1 (first) to 5 (last). */
  priority: number;
  /** Since then no run is started; null: not paused. */
  pausedAt: string | null;
  budgetUsd: string | null;
  /** Of the budget: confirmed costs, and the reservations of calls whose answer is open or was lost. "0" without a budget. */
  chargedUsd: string;
  /** Runs in total, and how many shards they make. */
  runs: number;
  shards: number;
  ended: number;
  steps: number;
  costUsd: string;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
}

export interface BatchStatusReport extends BatchSummary {
  byStatus: Record<string, number>;
  byEndReason: Record<string, number>;
  /** Runs that others of the batch repeat in their place. */
  replaced: number;
  /** What keeps runs of it waiting, the most first. */
  providerErrors: ProviderTrouble[];
  /** In submission order. */
  runList: RunSummary[];
}

/** A batch in a list: how many of its runs are in which state, and none by itself. */
export interface ListedBatch extends BatchSummary {
  byStatus: Record<string, number>;
}
