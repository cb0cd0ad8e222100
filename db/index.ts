export { openDatabase, type Database } from './database.js';
export { progressListener } from './progress-listener.js';
export { checkSchema, migrate, schemaState } from './migrate.js';
export { ensureRoles } from './roles.js';
export { findInstallation, readInstallation } from './installation.js';
export type { LineImport, LinePart, LineSource } from './exports/import-line.js';
export type { ExchangedEnd, ExchangedRecord, ExchangedStepRow, WriteExchanged } from './imports/import-exchanged.js';
export type { LogRun } from './exports/export-runs.js';
export type { RunRecord } from './exports/run-record.js';
export { LINE_LISTS } from './exports/run-line.js';
export { createRunStore } from './run-store.js';
export type {
  RecordedEnd,
  RecordedEvaluation,
  RecordedRun,
  RecordedStep,
  StepWriter,
} from './imports/import-run.js';
export type { ImportOutcome } from './imports/import-whole.js';
export { runReadOnlyQuery, type ReadOnlyResult } from './read-only-query.js';
export { insertBatch, type BatchDefinition, type BatchSubmission, type SubmittedRun } from './submission.js';
export type { EpisodeRecord, RecordedAction } from './exports/episode-records.js';
export type { Queries } from './queries/index.js';
export type { PastRun, RunKind } from './queries/past-runs.js';
export type { Comparisons } from './comparisons.js';
