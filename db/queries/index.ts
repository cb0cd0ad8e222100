import type { Queries } from '../../domain/ports/reading/queries.js';
import { ZodError } from 'zod';
import type pg from 'pg';
import { queryError } from '../database-error.js';
import { definitionReader } from '../store/definitions.js';
import { statements } from '../statements.js';
import { measuredBaselines } from './baselines.js';
import { batchStatus, listBatches } from './batch-status.js';
import { leaderboard } from './leaderboard.js';
import { events, hosts, leases, leaseWaiters, unfinishedRuns } from './operations.js';
import { episodeReturns, episodeSteps, runIdsOf } from './episode-rewards.js';
import { listEpisodes, showEpisode } from './episodes.js';
import { metrics } from './metrics.js';
import { gainSpread, meanGains } from './gain-spread.js';
import { pastRuns } from './past-runs.js';
import { findBatch, findRun } from './references.js';
import { tree } from './tree.js';
import { leaderboardRuns } from './leaderboard-runs.js';
import { listRuns, playedNames, showRun } from './runs.js';
import { episodeStates, groupMetrics, policyMetrics } from './training.js';
import { askedTurns, programRequest, recordedPrompt } from './prompts.js';
import { trajectory } from './trajectory.js';
import type { RunDefinition } from '../../domain/run/run.js';

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
    listBatches: (limit = BATCHES, filter = {}) => listBatches(run, limit, filter),
    batchStatus: (batchId) => batchStatus(run, batchId),
    listRuns: (filter = {}) => listRuns(run, filter),
    pastRuns: (kinds) => pastRuns(run, kinds),
    gainSpread: (of) => gainSpread(run, of),
    meanGains: (of) => meanGains(run, of),
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
    leases: (options = {}) => leases(run, options.includeReleased ?? false),
    leaseWaiters: () => leaseWaiters(run),
    hosts: (options = {}) => hosts(run, options.includeRemoved ?? false),
    unfinishedRuns: () => unfinishedRuns(run),
    leaderboard: (options = {}) => leaderboard(run, options),
    leaderboardRuns: (board) => leaderboardRuns(run, board),
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
