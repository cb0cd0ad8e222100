import type { BatchReads } from '../../domain/ports/reading/batches.js';
import type { RunReads } from '../../domain/ports/reading/runs.js';
import type { TrainingReads } from '../../domain/ports/reading/training.js';
import { type RewardInput, type RewardPreset, rewardRequest } from '../../domain/requests/reward.js';
import type { EpisodeRewards } from '../../domain/views/episodes.js';

export interface RewardEpisodesRequest {
  /** Ids or unambiguous parts of them; omitted, with `batch`: all. */
  runs?: readonly string[] | undefined;
  /** Id, name, or an unambiguous part of the id. */
  batch?: string | undefined;
  preset?: RewardPreset | undefined;
  /** Without a preset the default is `delta_prev`; with one, these keys override it. */
  reward?: RewardInput | undefined;
  steps?: boolean | undefined;
}

export interface RewardPorts {
  queries: Pick<BatchReads, 'findBatch'> &
    Pick<RunReads, 'findRun' | 'runIds'> &
    Pick<TrainingReads, 'episodeReturns' | 'episodeSteps'>;
}

/**
 * Recomputes rewards of stored runs from their evaluations; plays and writes nothing. BenchError:
 * unknown id, or the request makes no reward.
 */
export async function rewardEpisodes(
  { queries }: RewardPorts,
  asked: RewardEpisodesRequest = {},
): Promise<EpisodeRewards> {
  const request = rewardRequest({ ...(asked.preset !== undefined && { preset: asked.preset }), ...asked.reward });
  const named = await Promise.all((asked.runs ?? []).map(async (ref) => (await queries.findRun(ref)).runId));
  const batchId = asked.batch === undefined ? undefined : (await queries.findBatch(asked.batch)).batchId;
  const ofBatch = named.length > 0 && batchId === undefined ? [] : await queries.runIds(batchId);
  const ids = [...new Set([...named, ...ofBatch])];
  const found = await queries.episodeReturns(ids, request);
  const steps = asked.steps === true ? await queries.episodeSteps(ids, request) : undefined;
  const episodes = steps === undefined ? found : found.map((one) => ({ ...one, stepList: steps.get(one.runId) ?? [] }));
  return { request, episodes, ...summary(episodes) };
}

function summary(episodes: EpisodeRewards['episodes']): Omit<EpisodeRewards, 'request' | 'episodes'> {
  const rewards = episodes.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  const counts = {
    rewarded: rewards.length,
    faults: episodes.filter(({ status, fault }) => status === 'ended' && fault !== null).length,
    open: episodes.filter(({ status }) => status !== 'ended').length,
  };
  if (rewards.length === 0) return { ...counts, mean: null, std: null, min: null, max: null };
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
  const variance = rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / rewards.length;
  return {
    ...counts,
    mean,
    std: Math.sqrt(variance),
    min: rewards.reduce((least, reward) => Math.min(least, reward)),
    max: rewards.reduce((most, reward) => Math.max(most, reward)),
  };
}
