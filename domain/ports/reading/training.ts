import type { EpisodeFilter } from '../../requests/episode-list.js';
import type { RewardRequest } from '../../requests/reward.js';
import type { RewardedEpisode, RewardedStep } from '../../views/episodes.js';
import type { EpisodeFigures, EpisodeStates, GroupMetrics, PolicyMetrics, ShownEpisode } from '../../views/training.js';

/** A filter whose batch, if any, is an id. */
export type EpisodesWanted = Omit<EpisodeFilter, 'batch'> & { batchId?: string | undefined };

/** Episodes, their rewards and figures. */
export interface TrainingReads {
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
}
