import type { EpisodeRow, Episodes } from '../../domain/ports/episodes.js';

/** By the trainer's id or the run's; null: there is none. */
export const findEpisode = (
  { episodes }: { episodes: Pick<Episodes, 'find'> },
  id: string,
): Promise<EpisodeRow | null> => episodes.find(id);

/** The latest episode of a session; null: it has begun none. */
export const sessionEpisode = (
  { episodes }: { episodes: Pick<Episodes, 'ofSession'> },
  session: string,
): Promise<EpisodeRow | null> => episodes.ofSession(session);

/** From now on this session plays that episode, and no other. */
export const adoptEpisode = (
  { episodes }: { episodes: Pick<Episodes, 'adopt'> },
  runId: string,
  session: string,
): Promise<void> => episodes.adopt(runId, session);
