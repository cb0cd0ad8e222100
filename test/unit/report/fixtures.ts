import type { ReportData } from '../../../report/index.js';
import type { Leaderboard, LeaderboardRow, LeaderboardScore } from '../../../domain/views/leaderboard.js';
import type { ReportRun } from '../../../domain/views/report.js';
import type { PolicyMetrics } from '../../../domain/views/training.js';

export const cell = (best: number | null, run: string, more: Partial<LeaderboardScore> = {}): LeaderboardScore => ({
  ...{
    best,
    last: best,
    mean: best,
    bestRank: 1,
    lastRank: 1,
    bestGain: 0.5,
    lastGain: 0.4,
    bestStatus: 'feasible',
    lastStatus: 'feasible',
  },
  ...{ bestRatio: 1, lastRatio: 1, expectedBest: null, expectedLast: null, bestRun: run, lastRun: run },
  ...{ bestAttempts: [best], lastAttempts: [best], attempts: 1, ended: 1, counted: 1, scored: best === null ? 0 : 1 },
  ...{ infraErrors: 0, configErrors: 0, cancelled: 0, suspect: 0, costUsd: '0.5' },
  ...more,
});

export const row = (model: string, more: Partial<LeaderboardRow> = {}): LeaderboardRow => ({
  ...{ rank: 1, unranked: null, model, kind: 'real', isolation: 'container', bestAup: 0.9, lastAup: 0.8 },
  ...{ winRate: { best: 0.75, last: 0.6 }, gain: { best: 0.5, last: 0.4 } },
  curve: { best: [{ k: 1, gain: 0.5, improved: 1 }], last: [{ k: 1, gain: 0.4, improved: 1 }] },
  intervals: {
    attempts: {
      ...{ bestWinRate: null, lastWinRate: null, bestGain: null, lastGain: null, bestAup: null, lastAup: null },
      ...{ pBest: null, group: null },
    },
    tasks: {
      ...{ bestWinRate: { low: 0.6, high: 0.9 }, lastWinRate: null },
      ...{ bestGain: { low: 0.4, high: 0.6 }, lastGain: null, group: 'a' },
      bestAup: { low: 0.7, high: 1 },
      lastAup: { low: 0.6, high: 0.95 },
      pBest: { best: 0.75, last: 0.5 },
    },
  },
  profile: { best: [[0, 1]], last: [[0.2, 1]] },
  ...{ withSuspects: null, flags: {}, recordedCostUsd: null, recordedCostPerRunUsd: null },
  ...{ listCostUsd: null, listCostPerRunUsd: null },
  ...{ improvedTasks: 1, missingTasks: 0, notRunTasks: 0, averageRank: 1, borda: 1, attempts: 1, ended: 1 },
  ...{ infraErrors: 0, configErrors: 0, cancelled: 0, suspect: 0, costUsd: '0.5', costPerRunUsd: '0.5' },
  ...{ inputTokens: 1000, outputTokens: 100, scores: { t: cell(3, `r-${model}`) } },
  ...more,
});

export const run = (model: string, more: Partial<ReportRun> = {}): ReportRun => ({
  ...{ runId: `r-${model}`, batchId: 'b-1', origin: 'bench', model, kind: 'real', isolation: 'container', task: 't' },
  ...{ attempt: 1, status: 'ended', endReason: 'submit', exitStatus: 'submitted', exitLabels: ['Success'] },
  ...{
    outcome: 'complete',
    best: 3,
    bestOfAll: 3,
    last: 3,
    counted: true,
    superseded: false,
    evaluations: 2,
    suspect: 0,
    flags: [],
    steps: 7,
  },
  ...{ costUsd: '0.5', inputTokens: 1000, outputTokens: 100, createdAt: '2026-01-01T00:00:00.000Z' },
  ...more,
});

export const board = (rows: LeaderboardRow[], more: Partial<Leaderboard['comparison']> = {}): Leaderboard => ({
  comparison: {
    ...{ models: rows.map(({ model }) => model), tasks: ['t'], k: null, T: 1, fixedT: false, mode: 'strict' },
    ...{
      metric: 'best-attempt',
      order: 'win-rate',
      separation: { attempts: null, tasks: { pairs: 1, resolved: 0 } },
      priceList: null,
      includeSuspect: false,
      includeLocal: false,
      includeImported: false,
      includeScripted: false,
      sample: false,
      profile: 'default',
      otherProfiles: [],
      batchId: null,
    },
    ...{ resamples: 1000, seed: 1, estimateK: null, saved: null },
    ...more,
  },
  tasks: [
    {
      ...{ task: 't', name: 'Task t', contract: 1, primary: 'score', direction: 'maximize', baseline: 1 },
      ...{ standardError: 0, target: 5, ranking: null, compared: true },
    },
  ],
  baseline: { bestAup: 0.4, lastAup: 0.4, averageRank: 3, borda: 1, profile: { best: [[0.5, 1]], last: [[0.5, 1]] } },
  rows,
});

export const data = (rows: LeaderboardRow[], runs: ReportRun[], more: Partial<ReportData> = {}): ReportData => ({
  ...{
    subject: 'Batch one',
    generatedAt: '2026-01-02T03:04:05.000Z',
    harnessVersion: '9.9.9',
    over: 'tasks',
    trees: [],
    training: null,
  },
  board: board(rows),
  runs,
  actions: runs.map(({ model, kind, isolation }) => ({ model, kind, isolation, category: 'Edit', steps: 5 })),
  ...more,
});

/** Figures of a policy version of which nothing is known but what is given. */
export const policy = (version: number | null, more: Partial<PolicyMetrics> = {}): PolicyMetrics => ({
  ...{ policy_version: version, episodes: 4, ended: 4, rewarded: 4 },
  ...{
    reward: null,
    reward_std: null,
    reward_min: null,
    reward_max: null,
    gain: null,
    groups: 0,
    frac_reward_zero_std: null,
  },
  ...{ terminated: 0, is_truncated: null, truncations: {}, errored_rollouts: 0, abandoned: 0, masked: 0 },
  ...{ num_turns: null, reply_chars: null, reply_tokens: null, validations: null },
  ...{ 'tools/call_frequency': null, 'tools/failure_frequency': null, format_error_share: null },
  ...{ actions: 0, staleness: null, staleness_max: null },
  ...{ think_ms: null, queue_ms: null, command_ms: null, evaluation_ms: null, platform_ms: null },
  ...{ reset_ms: null, first_command_ms: null, fork_ms: null },
  ...more,
});
