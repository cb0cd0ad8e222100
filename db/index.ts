export { openDatabase, type Database } from './database.js';
export { migrate } from './migrate.js';
export { createRunStore } from './run-store.js';
export { runReadOnlyQuery, type ReadOnlyResult } from './read-only-query.js';
export { insertBatch, type BatchDefinition, type BatchSubmission, type SubmittedRun } from './submission.js';
export type { Queries } from './queries/index.js';
export type { BatchSummary, RunSummary } from './queries/summaries.js';
export type { BatchStatusReport } from './queries/batch-status.js';
export type { EvaluationDetail, RunDetail, RunFilter } from './queries/runs.js';
export type { TrajectoryStep } from './queries/trajectory.js';
export type { EventFilter, EventRow, HostRow, LeaseRow } from './queries/operations.js';
export type {
  Leaderboard,
  LeaderboardOptions,
  LeaderboardRow,
  LeaderboardScore,
  LeaderboardTask,
} from './queries/leaderboard.js';
