/**
 * The library: `import { openBench, submit, follow, leaderboard } from 'durabench'`. Every verb takes the bench that `openBench`
 * returns; there is no global state, so a process may open several. Errors are BenchErrors with `type`, `code` and `remedy`.
 */
export type { ErrorCode } from '../domain/error-codes.js';
export { BenchError, type BenchErrorType } from '../domain/errors.js';
export type { BatchRequestInput as BatchRequest } from '../domain/requests/batch.js';
export type { ForkRequest } from '../domain/requests/fork.js';
export type { ComparisonRequest } from '../domain/requests/comparison.js';
export type { LeaderboardRequest, ReportRequest } from '../domain/requests/leaderboard.js';
export type { EventsRequest, RunsRequest, SqlRequest, TrajectoryRequest } from '../domain/requests/reading.js';
export type { RewardInput, RewardPreset } from '../domain/requests/reward.js';
export type { PauseDocument as PausedBatch } from '../domain/views/batch-control.js';
export type { BatchStatusReport, BatchSummary, ListedBatch } from '../domain/views/batches.js';
export type { EpisodeRewards, RewardedEpisode, RewardedStep } from '../domain/views/episodes.js';
export type { Leaderboard, LeaderboardRow, LeaderboardScore } from '../domain/views/leaderboard.js';
export type { PromptDocument, PromptTurn } from '../domain/views/prompt.js';
export type { RunDetail, RunSummary } from '../domain/views/runs.js';
export type { EpisodeFigures, ShownEpisode } from '../domain/views/training.js';
export type { TrajectoryStep } from '../domain/views/trajectory.js';
export type { Bench } from './bench.js';
export type { Notice } from './notices.js';
export { openBench, type OpenOptions } from './library.js';

export type { BatchPlan, SubmittedBatch } from './batches/batch-plan.js';
export { addRuns } from './batches/add-runs.js';
export { cancel, type Cancellation } from './batches/cancel.js';
export { type BatchProgress, follow } from './batches/follow.js';
export { forkRun as fork } from './batches/fork-run.js';
export { pause } from './batches/pause.js';
export { planBatch as plan } from './batches/plan-batch.js';
export { resume, type ResumedBatch } from './batches/resume.js';
export { retry, type RetriedBatch } from './batches/retry.js';
export { submitBatch as submit } from './batches/submit-batch.js';

export { exportEpisodes } from './episodes/export/export-episodes.js';
export { listEpisodes } from './episodes/list-episodes.js';
export { showEpisode } from './episodes/show-episode.js';
export { rewardEpisodes, type RewardEpisodesRequest } from './episodes/reward-episodes.js';

export { batchStatus } from './results/batch-status.js';
export { events } from './results/events.js';
export { leaderboard } from './results/leaderboard.js';
export { listBatches } from './results/list-batches.js';
export { listRuns } from './results/list-runs.js';
export { prompt } from './results/prompt.js';
export { report } from './results/report.js';
export { showRun } from './results/show-run.js';
export { sql } from './results/sql.js';
export { trajectory } from './results/trajectory.js';

export { answerTurn, type GivenAnswer } from './turns/answer-turn.js';
export { openTurns } from './turns/open-turns.js';

export { down } from './home/down.js';
