import { ZodError } from 'zod';
import type pg from 'pg';
import type { MetricFamily } from '../../domain/metrics.js';
import { queryError } from '../database-error.js';
import { definitionReader } from '../store/definitions.js';
import { statements } from '../statements.js';
import { measuredBaselines } from './baselines.js';
import { batchStatus, listBatches } from './batch-status.js';
import { leaderboard } from './leaderboard.js';
import { events, gatewayRuns, hosts, leases, leaseWaiters, runNeeds, unfinishedRuns } from './operations.js';
import { episodeReturns, episodeSteps, runIdsOf } from './episode-rewards.js';
import { type EpisodesWanted, listEpisodes, showEpisode } from './episodes.js';
import { metrics } from './metrics.js';
import { type GainSpread, gainSpread } from './gain-spread.js';
import { type PastRun, pastRuns, type RunKind } from './past-runs.js';
import { findBatch, findRun } from './references.js';
import { reportTrees, tree } from './tree.js';
import { reportActions, reportRuns } from './report-runs.js';
import { listRuns, playedNames, showRun } from './runs.js';
import { episodeStates, groupMetrics, policyMetrics } from './training.js';
import { askedTurns, type AskedTurn, programRequest, type RecordedPrompt, recordedPrompt } from './prompts.js';
import { trajectory } from './trajectory.js';
import type { BatchStatusReport, BatchSummary, ListedBatch } from '../../domain/views/batches.js';
import type { Json } from '../../domain/gateway/json.js';
import type { RunDefinition } from '../../domain/run.js';
import type { RewardRequest } from '../../domain/requests/reward.js';
import type { RewardedEpisode, RewardedStep } from '../../domain/views/episodes.js';
import type { Leaderboard, LeaderboardOptions } from '../../domain/views/leaderboard.js';
import type { EventFilter, EventRow } from '../../domain/views/events.js';
import type { HostRow, RunNeeds } from '../../domain/views/hosts.js';
import type { GatewayRun } from '../../domain/views/gateway.js';
import type { LeaseRow, LeaseWaiter } from '../../domain/views/leases.js';
import type { TreeDocument } from '../../domain/views/tree.js';
import type { ActionCount, ReportRun, ReportTree } from '../../domain/views/report.js';
import type { RunDetail, RunFilter, RunSummary } from '../../domain/views/runs.js';
import type {
  EpisodeFigures,
  EpisodeStates,
  GroupMetrics,
  PolicyMetrics,
  ShownEpisode,
} from '../../domain/views/training.js';
import type { TrajectoryStep } from '../../domain/views/trajectory.js';

/** All read queries. Unknown or ambiguous references are BenchErrors of type not_found that name candidates. */
export interface Queries {
  /** By id, name, or an unambiguous beginning or end of an id; undefined: the latest batch. */
  findBatch(ref: string | undefined): Promise<BatchSummary>;
  /** By id, or an unambiguous beginning or end of one. */
  findRun(ref: string): Promise<RunSummary>;
  /** Newest first, up to the limit, with the total. */
  listBatches(limit?: number): Promise<{ batches: ListedBatch[]; total: number }>;
  batchStatus(batchId: string): Promise<BatchStatusReport>;
  /** Newest first. */
  listRuns(filter?: RunFilter): Promise<RunSummary[]>;
  /** What ended runs like these used. */
  pastRuns(kinds: readonly RunKind[]): Promise<PastRun[]>;
  /** How much the gains of attempts at these tasks vary that are alike; null: not known. */
  gainSpread(of: { models: readonly string[]; tasks: readonly string[] }): Promise<GainSpread | null>;
  /** Those of these versions of tasks whose starter has a score. */
  measuredBaselines(taskHashes: readonly string[]): Promise<string[]>;
  /** Models and tasks that have runs, by name. */
  playedNames(): Promise<{ models: string[]; tasks: string[] }>;
  showRun(runId: string): Promise<RunDetail>;
  /** The search tree that this run plays, or is a node of; null: neither. */
  tree(runId: string): Promise<TreeDocument | null>;
  /** Steps after `afterStep` (default 0), in order; the first `most` of them, or all. */
  trajectory(runId: string, afterStep?: number, most?: number | null): Promise<TrajectoryStep[]>;
  /** How a run was played here or in the home that exported it; null: MLGym or another tool played it. */
  playedAs(runId: string): Promise<RunDefinition | null>;
  /** Each question of a step that was sent, in order. */
  askedTurns(runId: string, step: number): Promise<AskedTurn[]>;
  /** What a program's step sent; null: it is no call, or was not kept. */
  programRequest(runId: string, step: number): Promise<Json | null>;
  /** The messages around the observations of a run that MLGym played. */
  recordedPrompt(runId: string): Promise<RecordedPrompt>;
  /** Oldest first; for a batch, with those of its runs. */
  events(filter: EventFilter): Promise<EventRow[]>;
  /** Runs that have not ended and whose agents are programs. */
  gatewayRuns(): Promise<GatewayRun[]>;
  leases(options?: { includeReleased?: boolean }): Promise<LeaseRow[]>;
  /** Runs that wait for GPUs, the longest first. */
  leaseWaiters(): Promise<LeaseWaiter[]>;
  hosts(options?: { includeRemoved?: boolean }): Promise<HostRow[]>;
  unfinishedRuns(): Promise<number>;
  runNeeds(): Promise<RunNeeds[]>;
  leaderboard(options?: LeaderboardOptions): Promise<Leaderboard>;
  /** The runs behind its figures, and the action categories of those that count. */
  reportRuns(board: Leaderboard): Promise<{ runs: ReportRun[]; actions: ActionCount[]; trees: ReportTree[] }>;
  /** Of one batch, or of all. */
  runIds(batchId?: string): Promise<string[]>;
  /** What these runs earned as episodes, in the order in which they were submitted. */
  episodeReturns(runIds: readonly string[], request: RewardRequest): Promise<RewardedEpisode[]>;
  /** The steps that they earned it in, by run. */
  episodeSteps(runIds: readonly string[], request: RewardRequest): Promise<Map<string, RewardedStep[]>>;
  /** Newest first. */
  listEpisodes(wanted: EpisodesWanted, limit: number): Promise<EpisodeFigures[]>;
  /** By the id of its run. */
  showEpisode(runId: string): Promise<ShownEpisode>;
  /** Of a training batch, by policy version. */
  policyMetrics(batchId: string): Promise<PolicyMetrics[]>;
  groupMetrics(batchId: string): Promise<GroupMetrics[]>;
  episodeStates(batchId: string): Promise<EpisodeStates>;
  /** Figures for Prometheus. */
  metrics(): Promise<MetricFamily[]>;
}

const BATCHES = 20;

/** Trajectories and logs of other tools import a run without what its agent and task were: null. */
function readIfComplete(read: () => RunDefinition): RunDefinition | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof ZodError) return null;
    throw error;
  }
}

export function createQueries(pool: pg.Pool): Queries {
  const run = statements(pool, queryError);
  const definitionOf = definitionReader(run);
  return {
    findBatch: (ref) => findBatch(run, ref),
    findRun: (ref) => findRun(run, ref),
    listBatches: (limit = BATCHES) => listBatches(run, limit),
    batchStatus: (batchId) => batchStatus(run, batchId),
    listRuns: (filter = {}) => listRuns(run, filter),
    pastRuns: (kinds) => pastRuns(run, kinds),
    gainSpread: (of) => gainSpread(run, of),
    playedNames: () => playedNames(run),
    showRun: (runId) => showRun(run, runId),
    tree: (runId) => tree(run, runId),
    measuredBaselines: (taskHashes) => measuredBaselines(run, taskHashes),
    trajectory: (runId, afterStep = 0, most = null) => trajectory(run, runId, afterStep, most),
    playedAs: async (runId) => {
      const { origin, read } = await definitionOf(runId);
      return origin === 'bench' ? read() : origin === 'mlgym' ? null : readIfComplete(read);
    },
    askedTurns: (runId, step) => askedTurns(run, runId, step),
    programRequest: (runId, step) => programRequest(run, runId, step),
    recordedPrompt: (runId) => recordedPrompt(run, runId),
    events: (filter) => events(run, filter),
    gatewayRuns: () => gatewayRuns(run),
    leases: (options = {}) => leases(run, options.includeReleased ?? false),
    leaseWaiters: () => leaseWaiters(run),
    hosts: (options = {}) => hosts(run, options.includeRemoved ?? false),
    unfinishedRuns: () => unfinishedRuns(run),
    runNeeds: () => runNeeds(run),
    leaderboard: (options = {}) => leaderboard(run, options),
    reportRuns: async (board) => {
      const runs = await reportRuns(run, board);
      const [actions, trees] = await Promise.all([
        reportActions(run, board.comparison.mode, runs),
        reportTrees(
          run,
          runs.map(({ runId }) => runId),
        ),
      ]);
      return { runs, actions, trees };
    },
    runIds: (batchId) => runIdsOf(run, batchId),
    episodeReturns: (runIds, request) => episodeReturns(run, runIds, request),
    episodeSteps: (runIds, request) => episodeSteps(run, runIds, request),
    listEpisodes: (wanted, limit) => listEpisodes(run, wanted, limit),
    showEpisode: (runId) => showEpisode(run, runId),
    policyMetrics: (batchId) => policyMetrics(run, batchId),
    groupMetrics: (batchId) => groupMetrics(run, batchId),
    episodeStates: (batchId) => episodeStates(run, batchId),
    metrics: () => metrics(run),
  };
}
