import { type AttendPorts, detachEpisode, expireEpisodeIn, touchEpisode } from '../operations/episodes/attend.js';
import { openPresence } from './presence.js';
import { rideOut } from './ride-out.js';

type Episode = { runId: string; idleSeconds: number };

/** Records which episodes have a client. Most calls write nothing: the record says so already. */
export interface Attendance {
  touch(runId: string): Promise<void>;
  /** `touch` for every request: few of them write. */
  present(episode: Episode & { ended: boolean }): Promise<void>;
  /** Another write has just reset the episode's idle time. */
  written(runId: string): void;
  /** The client cannot return after a server's death: the episode is then given up. */
  expireIn(runId: string, seconds: number): Promise<void>;
  /** The client left: the episode is given up unless it returns in time. */
  detach(runId: string, seconds: number): Promise<void>;
  /** The client is present while this work runs. */
  during<T>(episode: Episode, work: () => Promise<T>): Promise<T>;
}

export function openAttendance(bench: AttendPorts): Attendance {
  const presence = openPresence();
  const touch = async (runId: string): Promise<void> => {
    presence.written(runId);
    await touchEpisode(bench, runId).catch(() => presence.forget(runId));
  };
  return {
    touch,
    async present(episode) {
      if (!episode.ended && presence.due(episode)) await touch(episode.runId);
    },
    written: (runId) => presence.written(runId),
    async expireIn(runId, seconds) {
      await rideOut(() => expireEpisodeIn(bench, runId, seconds));
      presence.forget(runId);
    },
    async detach(runId, seconds) {
      await rideOut(() => detachEpisode(bench, runId, seconds));
      presence.forget(runId);
    },
    async during({ runId, idleSeconds }, work) {
      const stays = setInterval(() => void touch(runId), (idleSeconds * 1000) / 3);
      try {
        return await work();
      } finally {
        clearInterval(stays);
      }
    },
  };
}
