import type { Episodes } from '../../domain/ports/episodes.js';

export interface AttendPorts {
  episodes: Pick<Episodes, 'touch' | 'expireIn' | 'detach'>;
}

/** A client is present: the episode's idle time starts again. */
export const touchEpisode = ({ episodes }: AttendPorts, runId: string): Promise<void> => episodes.touch(runId);

/**
 * A client is present, but cannot return to a server that died: the episode is given up after so
 * many seconds without a sign of it.
 */
export const expireEpisodeIn = ({ episodes }: AttendPorts, runId: string, seconds: number): Promise<void> =>
  episodes.expireIn(runId, seconds);

/** The client went away: the episode is given up unless a client returns within so many seconds. */
export const detachEpisode = ({ episodes }: AttendPorts, runId: string, seconds: number): Promise<void> =>
  episodes.detach(runId, seconds);
