import type { EpisodeRow } from '../../domain/ports/episodes.js';
import { cancelRun } from '../batches/cancel-run.js';

export type EndPorts = Parameters<typeof cancelRun>[0];

/** Abandons an episode: its sandbox is removed, its record stays. Idempotent. */
export async function endEpisode(ports: EndPorts, episode: EpisodeRow): Promise<void> {
  if (episode.ended) return;
  await cancelRun(ports, episode);
}
