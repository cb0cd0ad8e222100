import { newRunId } from '../domain/ids.js';
import type { ProgressEvents } from '../domain/ports/progress-events.js';
import type { BegunEpisode } from '../operations/episodes/beginning.js';
import { endEpisode, type EndPorts } from '../operations/episodes/end.js';
import type { Environment } from '../operations/episodes/environment.js';
import { findEpisode } from '../operations/episodes/find-episode.js';
import { resetEpisode, resetEpisodes, type ResetPorts } from '../operations/episodes/reset.js';
import { wantEpisode, type WantPorts } from '../operations/episodes/want-episode.js';
import { claimWarmRun, requestWarmRun, type WarmPorts } from '../operations/episodes/warm-run.js';
import { rideOut } from './ride-out.js';
import { waitingForRoom } from './room.js';

export type BeginPorts = ResetPorts & WarmPorts & WantPorts & EndPorts;

export interface BeginContext {
  bench: BeginPorts;
  env: Environment;
  progress: ProgressEvents;
  /** Limit of a reset's wait for room. */
  fullWaitSeconds: number;
}

export interface Beginnings {
  /** Begins when there is room; its sandbox starts meanwhile. Idempotent by `runId`. */
  reset(protocol: string, body: unknown, keys?: { runId?: string; session?: string | null }): Promise<BegunEpisode>;
  /** Idempotent for those with an `episode_id`; a failure gives up the others. */
  resetAll(protocol: string, bodies: readonly Record<string, unknown>[]): Promise<BegunEpisode[]>;
}

/** Begins episodes when there is room, each in a warm sandbox if one is ready. */
export function beginningEpisodes({ bench, env, progress, fullWaitSeconds }: BeginContext): Beginnings {
  const withRoom = waitingForRoom(progress, fullWaitSeconds);
  const want = ({ episode: { runId } }: BegunEpisode): void =>
    void wantEpisode(bench, runId)
      .then(() => requestWarmRun(bench, runId))
      .catch(() => undefined);
  const giveUp = (runId: string): Promise<void> =>
    rideOut(async () => {
      const episode = await findEpisode(bench, runId);
      if (episode !== null) await endEpisode(bench, episode);
    });
  return {
    async reset(protocol, body, { runId: known, session = null } = {}) {
      const runId = known ?? (await claimWarmRun(bench, env, body)) ?? newRunId();
      const asked = { input: body, runId, session };
      const begun = await withRoom(() => rideOut(() => resetEpisode(bench, env, protocol, asked)));
      want(begun);
      return begun;
    },
    async resetAll(protocol, bodies) {
      const asked = bodies.map((input) => ({ input, runId: newRunId(), session: null }));
      try {
        const begun = await withRoom(() => rideOut(() => resetEpisodes(bench, env, protocol, asked)));
        for (const one of begun) want(one);
        return begun;
      } catch (error) {
        // No client knows their ids.
        for (const { input, runId } of asked) if (!('episode_id' in input)) void giveUp(runId).catch(() => undefined);
        throw error;
      }
    },
  };
}
