export { openDatabase, type Database } from './database.js';
export { checkSchema, migrate, schemaState } from './migrate.js';
export { ensureRoles } from './roles.js';
export { findInstallation, type Installation, readInstallation } from './installation.js';
export type { LineImport, LinePart, LineSource } from './exports/import-line.js';
export { LINE_LISTS } from './exports/run-line.js';
export { createRunStore } from './run-store.js';
export type {
  ImportOutcome,
  RecordedEnd,
  RecordedEvaluation,
  RecordedRun,
  RecordedStep,
  StepWriter,
} from './imports/import-run.js';
export { runReadOnlyQuery, type ReadOnlyResult } from './read-only-query.js';
export { insertBatch, type BatchDefinition, type BatchSubmission, type SubmittedRun } from './submission.js';
export type { RateAccountRow } from './rate-control.js';
export type { Queries } from './queries/index.js';
export type { BatchSummary, RunSummary } from './queries/summaries.js';
export type { BatchStatusReport, ListedBatch } from './queries/batch-status.js';
export type { ProviderTrouble } from './queries/provider-troubles.js';
export type { EvaluationDetail, RunDetail, RunFilter } from './queries/runs.js';
export type { TrajectoryStep } from './queries/trajectory.js';
export type { EventFilter, EventRow, HostRow, HostState, LeaseRow, LeaseWaiter } from './queries/operations.js';
export type {
  ComparisonOptions,
  Leaderboard,
  LeaderboardOptions,
  LeaderboardRow,
  LeaderboardScore,
  LeaderboardTask,
  LeaderboardUncertainty,
  SavedComparisonState,
} from './queries/leaderboard-types.js';
export type { ActionCount, ReportRun } from './queries/report-runs.js';
export type { FrozenOptions, SavedComparison } from './queries/comparisons.js';
export type { Comparisons } from './comparisons.js';
