import { type AttendPorts, detachEpisode, expireEpisodeIn, touchEpisode } from '../operations/episodes/attend.js';
import { openPresence } from './presence.js';
import { rideOut } from './ride-out.js';

type Episode = { runId: string; idleSeconds: number };

/**
 * Which episodes have a client, in the record; most calls write nothing, since the record says so
 * already.
 */
export interface Attendance {
  /** The client is present: the episode's idle time starts again. */
  touch(runId: string): Promise<void>;
  /** The same for every request: few of them write. */
  present(episode: Episode & { ended: boolean }): Promise<void>;
  /** Another write has just reset the episode's idle time. */
  written(runId: string): void;
  /**
   * The client is present, but cannot return to a server that died: the episode is given up after
   * so many seconds.
   */
  expireIn(runId: string, seconds: number): Promise<void>;
  /** The client went away: unless it returns within so many seconds, the episode is given up. */
  detach(runId: string, seconds: number): Promise<void>;
  /** The client is present for as long as this work takes. */
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
