import { BenchError } from '../domain/errors.js';
import type { EpisodeOutcome } from '../domain/episodes/outcome.js';
import { newRunId } from '../domain/ids.js';
import type { EpisodeRow, TakenBefore } from '../domain/ports/episodes.js';
import { act, type ActionRequest, refusal, wantEpisode } from '../operations/episodes/act.js';
import { endEpisode } from '../operations/episodes/end.js';
import { lateEnding } from '../operations/episodes/late-ending.js';
import { waitOutcome } from '../operations/episodes/outcome.js';
import { beginning, type BegunEpisode, resetEpisode, resetEpisodes } from '../operations/episodes/reset.js';
import { claimWarmRun, requestWarmRun } from '../operations/episodes/warm-run.js';
import type { ServerContext } from './context.js';
import { openPresence } from './presence.js';
import { rideOut } from './ride-out.js';
import { waitingForRoom } from './room.js';

/** An outcome, and what names it over a wire. */
export interface PlayedStep {
  episodeId: string;
  task: string;
  outcome: EpisodeOutcome;
}

/** What every protocol does with episodes. Each call waits for services that restart; none holds anything that a server's death would lose. */
export interface Play {
  /** By the trainer's id or the run's. Throws BenchError (not_found, `episode.not_found`). */
  known(id: string): Promise<EpisodeRow>;
  /** Begins an episode, as soon as there is room for it, and starts its sandbox while the policy thinks. `runId` makes a repeated call the same. */
  reset(protocol: string, body: unknown, keys?: { runId?: string; session?: string | null }): Promise<BegunEpisode>;
  /**
   * Begins several, as soon as there is room for all. One with an `episode_id` is the same in a repeated call; of the others none stays
   * when the call fails.
   */
  resetAll(protocol: string, bodies: readonly Record<string, unknown>[]): Promise<BegunEpisode[]>;
  /** What a session plays; null: nothing yet. */
  ofSession(session: string): Promise<EpisodeRow | null>;
  /** From now on this session plays that episode. */
  adopt(runId: string, session: string): Promise<void>;
  beginning(episode: EpisodeRow): Promise<BegunEpisode>;
  /** Takes an action. Returns its number. Throws BenchError (conflict) for one out of turn or after the end. */
  act(episode: EpisodeRow, request: ActionRequest): Promise<number>;
  /** Waits for an outcome, at most so many seconds; null: the action still runs. Whoever waits is there: the episode is not given up. */
  outcome(episode: EpisodeRow, seq: number, seconds: number, signal?: AbortSignal): Promise<PlayedStep | null>;
  /** How an episode ended that no action ended; null: it goes on, or the last outcome says so. */
  lateEnding(episode: EpisodeRow): Promise<PlayedStep | null>;
  /** An action as it was taken; null: none has this number. */
  taken(runId: string, seq: number): Promise<TakenBefore | null>;
  /** The client has read the outcome of this action. */
  delivered(runId: string, seq: number): Promise<void>;
  /** Interrupts the command of an action, if it still runs: its outcome follows. */
  interrupt(runId: string, seq: number): Promise<void>;
  touch(runId: string): Promise<void>;
  /** Its client asks something: the episode is not given up for another while. For every request: few of them write. */
  present(episode: EpisodeRow): Promise<void>;
  /** Its client is there now, but could not come back to a server that died: after so many seconds the episode is given up. */
  expireIn(runId: string, seconds: number): Promise<void>;
  /** The client is gone: unless it comes back within so many seconds, the episode is given up. */
  detach(runId: string, seconds: number): Promise<void>;
  end(episode: EpisodeRow): Promise<void>;
}

export function playing({ env, progress, fullWaitSeconds }: ServerContext): Play {
  const { bench } = env;
  const withRoom = waitingForRoom(progress, fullWaitSeconds);
  const episodes = async () => (await bench.database()).episodes;
  const presence = openPresence();
  const touch = async (runId: string): Promise<void> => {
    presence.written(runId);
    await episodes()
      .then((stored) => stored.touch(runId))
      .catch(() => presence.forget(runId));
  };
  const present = async (episode: EpisodeRow): Promise<void> => {
    if (!episode.ended && presence.due(episode)) await touch(episode.runId);
  };
  const want = ({ episode: { runId } }: BegunEpisode): void =>
    void wantEpisode(bench, runId)
      .then(() => requestWarmRun(env, runId))
      .catch(() => undefined);
  const giveUp = (runId: string): Promise<void> =>
    rideOut(async () => {
      const episode = await (await episodes()).find(runId);
      if (episode !== null) await endEpisode(bench, episode);
    });
  return {
    ...{ touch, present },
    ofSession: (session) => rideOut(async () => (await episodes()).ofSession(session)),
    adopt: (runId, session) => rideOut(async () => (await episodes()).adopt(runId, session)),
    taken: (runId, seq) => rideOut(async () => (await episodes()).taken(runId, seq)),
    interrupt: (runId, seq) => rideOut(async () => (await episodes()).interrupt(runId, seq)),
    delivered: (runId, seq) => rideOut(async () => (await episodes()).delivered(runId, seq)),
    async expireIn(runId, seconds) {
      await rideOut(async () => (await episodes()).expireIn(runId, seconds));
      presence.forget(runId);
    },
    async detach(runId, seconds) {
      await rideOut(async () => (await episodes()).detach(runId, seconds));
      presence.forget(runId);
    },
    async known(id) {
      const episode = await rideOut(async () => (await episodes()).find(id));
      if (episode === null)
        throw new BenchError('not_found', `no episode ${id}`, {
          code: 'episode.not_found',
          remedy: 'POST /v1/episodes begins one.',
        });
      return episode;
    },
    async reset(protocol, body, { runId: known, session = null } = {}) {
      const runId = known ?? (await claimWarmRun(env, body)) ?? newRunId();
      const begun = await withRoom(() => rideOut(() => resetEpisode(env, protocol, { input: body, runId, session })));
      want(begun);
      return begun;
    },
    async resetAll(protocol, bodies) {
      const asked = bodies.map((input) => ({ input, runId: newRunId(), session: null }));
      try {
        const begun = await withRoom(() => rideOut(() => resetEpisodes(env, protocol, asked)));
        for (const one of begun) want(one);
        return begun;
      } catch (error) {
        // Their ids were told to nobody.
        for (const { input, runId } of asked) if (!('episode_id' in input)) void giveUp(runId).catch(() => undefined);
        throw error;
      }
    },
    beginning: (episode) => rideOut(() => beginning(bench, episode)),
    async act(episode, request) {
      // Numbered here if its sender did not, so that it is the same action when the database goes away in the middle.
      const numbered = { ...request, seq: request.seq ?? episode.seq + 1 };
      const taken = await rideOut(() => act(bench, episode, numbered));
      const refused = refusal(taken, episode.episodeId);
      if (refused !== null) throw refused;
      if (taken.kind === 'taken' && !taken.repeated) presence.written(episode.runId);
      return numbered.seq;
    },
    async outcome(episode, seq, seconds, signal) {
      const { runId, episodeId, task, idleSeconds } = episode;
      void present(episode);
      const until = Date.now() + seconds * 1000;
      const left = (): number => Math.max(0, (until - Date.now()) / 1000);
      const stays = setInterval(() => void touch(runId), (idleSeconds * 1000) / 3);
      const outcome = await rideOut(() =>
        waitOutcome(bench, progress, { runId, seq, seconds: left(), ...(signal !== undefined && { signal }) }),
      ).finally(() => clearInterval(stays));
      if (outcome === null) return null;
      return { episodeId, task, outcome };
    },
    async lateEnding(episode) {
      const outcome = await rideOut(() => lateEnding(bench, episode));
      return outcome === null ? null : { episodeId: episode.episodeId, task: episode.task, outcome };
    },
    end: (episode) => rideOut(() => endEpisode(bench, episode)),
  };
}
