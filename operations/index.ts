/**
 * The library: `import { openBench } from 'durabench'`, then `bench.batches.submit(request)`. No
 * global state: a process may open several homes. Errors are BenchErrors: `type`, `code`, `remedy`.
 */
export type { ErrorCode } from '../domain/error-codes.js';
export { BenchError, type BenchErrorType } from '../domain/errors.js';
export type { BatchRequestInput as BatchRequest } from '../domain/requests/batch.js';
export type { ForkRequest } from '../domain/requests/fork.js';
export type { CompareRequest } from '../domain/requests/pairs.js';
export type { ComparisonRequest } from '../domain/requests/comparison.js';
export type { LeaderboardRequest } from '../domain/requests/leaderboard.js';
export type { EventsRequest, RunsRequest, SqlRequest, TrajectoryRequest } from '../domain/requests/reading.js';
export type { RewardInput, RewardPreset } from '../domain/requests/reward.js';
export type { PauseDocument as PausedBatch } from '../domain/views/batch-control.js';
export type { BatchStatusReport, BatchSummary, ListedBatch } from '../domain/views/batches.js';
export type { EpisodeRewards, RewardedEpisode, RewardedStep } from '../domain/views/episodes.js';
export type { Leaderboard, LeaderboardRow, LeaderboardScore } from '../domain/views/leaderboard.js';
export type { Pairs as PairedComparison } from '../domain/views/pairs.js';
export type { PromptDocument, PromptTurn } from '../domain/views/prompt.js';
export type { RunDetail, RunSummary } from '../domain/views/runs.js';
export type { EpisodeFigures, ShownEpisode } from '../domain/views/training.js';
export type { TrajectoryStep } from '../domain/views/trajectory.js';
export type { Notice } from './notices.js';
export { type Bench, openBench, type OpenOptions } from './library.js';

export type { BatchPlan, SubmittedBatch } from './batches/batch-plan.js';
export type { Cancellation } from './batches/cancel.js';
export type { BatchProgress } from './batches/follow.js';
export type { ResumedBatch } from './batches/resume.js';
export type { RetriedBatch } from './batches/retry.js';
export type { RewardEpisodesRequest } from './episodes/reward-episodes.js';
export type { GivenAnswer } from './turns/answer-turn.js';
