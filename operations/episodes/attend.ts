import type { Episodes } from '../../domain/ports/episodes.js';

export interface AttendPorts {
  episodes: Pick<Episodes, 'touch' | 'expireIn' | 'detach'>;
}

/** A client is present: the episode's idle time restarts. */
export const touchEpisode = ({ episodes }: AttendPorts, runId: string): Promise<void> => episodes.touch(runId);

/**
 * A client is present but cannot return to a server that died: the episode is abandoned after this
 * many seconds without a request.
 */
export const expireEpisodeIn = ({ episodes }: AttendPorts, runId: string, seconds: number): Promise<void> =>
  episodes.expireIn(runId, seconds);

/** The client left: the episode is abandoned unless a client returns within this time. */
export const detachEpisode = ({ episodes }: AttendPorts, runId: string, seconds: number): Promise<void> =>
  episodes.detach(runId, seconds);
