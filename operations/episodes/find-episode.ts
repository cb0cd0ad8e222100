import type { EpisodeRow, Episodes } from '../../domain/ports/episodes.js';

/** By the trainer's id or the run's; null: unknown. */
export const findEpisode = (
  { episodes }: { episodes: Pick<Episodes, 'find'> },
  id: string,
): Promise<EpisodeRow | null> => episodes.find(id);

/** The latest episode of a session; null: none. */
export const sessionEpisode = (
  { episodes }: { episodes: Pick<Episodes, 'ofSession'> },
  session: string,
): Promise<EpisodeRow | null> => episodes.ofSession(session);

/** The session plays only that episode from now on. */
export const adoptEpisode = (
  { episodes }: { episodes: Pick<Episodes, 'adopt'> },
  runId: string,
  session: string,
): Promise<void> => episodes.adopt(runId, session);
