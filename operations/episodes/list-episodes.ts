import { checkedRequest } from '../../domain/requests/checked.js';
import { type EpisodeFilter, type EpisodeListRequest, episodeListSchema } from '../../domain/requests/episode-list.js';
import type { EpisodesDocument } from '../../domain/views/training.js';
import type { Bench } from '../bench.js';

/** The filter with the batch's id. BenchError (not_found): there is no such batch. */
export async function wantedEpisodes(bench: Bench, { batch, ...filter }: EpisodeFilter) {
  const { queries } = await bench.database();
  return { ...filter, batchId: batch === undefined ? undefined : (await queries.findBatch(batch)).batchId };
}

/** Episodes of one training batch or of all, newest first, with their figures; `more`: there are others. BenchError: no such batch, or a wrong key. */
export async function listEpisodes(bench: Bench, input: EpisodeListRequest = {}): Promise<EpisodesDocument> {
  const { limit, ...filter } = checkedRequest(episodeListSchema, input);
  const wanted = await wantedEpisodes(bench, filter);
  // One more tells whether there are more.
  const found = await (await bench.database()).queries.listEpisodes(wanted, limit + 1);
  return { episodes: found.slice(0, limit), more: found.length > limit };
}
