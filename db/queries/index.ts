import type pg from 'pg';
import type { BatchStatusReport } from './batch-status.js';
import type { Leaderboard, LeaderboardOptions } from './leaderboard.js';
import type { EventRow, HostRow, LeaseRow } from './operations.js';
import type { RunDetail, RunFilter } from './runs.js';
import type { BatchSummary, RunSummary } from './summaries.js';
import type { TrajectoryStep } from './trajectory.js';

/** What the CLI reads. Unknown or ambiguous references are BenchErrors of type not_found that name candidates. */
export interface Queries {
  /** By id, by name, or by an unambiguous beginning or end of an id; undefined: the latest batch. */
  findBatch(ref: string | undefined): Promise<BatchSummary>;
  /** By id, or by an unambiguous beginning or end of an id. */
  findRun(ref: string): Promise<RunSummary>;
  /** Newest first. */
  listBatches(limit?: number): Promise<BatchSummary[]>;
  batchStatus(batchId: string): Promise<BatchStatusReport>;
  /** Newest first. */
  listRuns(filter?: RunFilter): Promise<RunSummary[]>;
  showRun(runId: string): Promise<RunDetail>;
  /** Steps after `afterStep` (default 0), in order. */
  trajectory(runId: string, afterStep?: number): Promise<TrajectoryStep[]>;
  /** Oldest first; of a batch: of its runs too. */
  events(filter: { runId?: string; batchId?: string; limit?: number }): Promise<EventRow[]>;
  leases(options?: { includeReleased?: boolean }): Promise<LeaseRow[]>;
  hosts(): Promise<HostRow[]>;
  unfinishedRuns(): Promise<number>;
  leaderboard(options?: LeaderboardOptions): Promise<Leaderboard>;
}

export function createQueries(_pool: pg.Pool): Queries {
  throw new Error('not yet');
}
