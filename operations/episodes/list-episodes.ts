import type { BatchReads } from '../../domain/ports/reading/batches.js';
import type { EpisodesWanted, TrainingReads } from '../../domain/ports/reading/training.js';
import { checkedRequest } from '../../domain/requests/checked.js';
import { type EpisodeFilter, type EpisodeListRequest, episodeListSchema } from '../../domain/requests/episode-list.js';
import type { EpisodesDocument } from '../../domain/views/training.js';

export interface EpisodeFilterPorts {
  queries: Pick<BatchReads, 'findBatch'>;
}

/** BenchError (not_found): no such batch. */
export async function wantedEpisodes(
  { queries }: EpisodeFilterPorts,
  { batch, ...filter }: EpisodeFilter,
): Promise<EpisodesWanted> {
  return { ...filter, batchId: batch === undefined ? undefined : (await queries.findBatch(batch)).batchId };
}

/** Newest first; `more`: there are others. BenchError: no such batch, or a wrong key. */
export async function listEpisodes(
  { queries }: { queries: Pick<BatchReads, 'findBatch'> & Pick<TrainingReads, 'listEpisodes'> },
  input: EpisodeListRequest = {},
): Promise<EpisodesDocument> {
  const { limit, ...filter } = checkedRequest(episodeListSchema, input);
  const wanted = await wantedEpisodes({ queries }, filter);
  const found = await queries.listEpisodes(wanted, limit + 1);
  return { episodes: found.slice(0, limit), more: found.length > limit };
}
