import type { EpisodeFilter } from '../../requests/episode-list.js';
import type { RewardRequest } from '../../requests/reward.js';
import type { RewardedEpisode, RewardedStep } from '../../views/episodes.js';
import type { EpisodeFigures, EpisodeStates, GroupMetrics, PolicyMetrics, ShownEpisode } from '../../views/training.js';

/** A filter whose batch, if any, is an id. */
export type EpisodesWanted = Omit<EpisodeFilter, 'batch'> & { batchId?: string | undefined };

export interface TrainingReads {
  /** In order of submission. */
  episodeReturns(runIds: readonly string[], request: RewardRequest): Promise<RewardedEpisode[]>;
  /** By run. */
  episodeSteps(runIds: readonly string[], request: RewardRequest): Promise<Map<string, RewardedStep[]>>;
  /** Newest first. */
  listEpisodes(wanted: EpisodesWanted, limit: number): Promise<EpisodeFigures[]>;
  /** By the run's id. */
  showEpisode(runId: string): Promise<ShownEpisode>;
  /** Of a training batch. */
  policyMetrics(batchId: string): Promise<PolicyMetrics[]>;
  groupMetrics(batchId: string): Promise<GroupMetrics[]>;
  episodeStates(batchId: string): Promise<EpisodeStates>;
}
