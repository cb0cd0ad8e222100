import type { EpisodeRow } from '../../domain/ports/episodes.js';
import { cancelRun } from '../batches/cancel-run.js';
import type { Bench } from '../bench.js';

/** Gives an episode up: its sandbox goes, what it recorded stays. One that has ended stays as it is. */
export async function endEpisode(bench: Bench, episode: EpisodeRow): Promise<void> {
  if (episode.ended) return;
  await cancelRun(bench, episode);
}
