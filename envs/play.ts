import type { EpisodeOutcome } from '../domain/episodes/outcome.js';
import { BenchError } from '../domain/errors.js';
import type { EpisodeRow, TakenBefore } from '../domain/ports/episodes.js';
import { act, type ActionRequest, type ActPorts } from '../operations/episodes/act.js';
import type { AttendPorts } from '../operations/episodes/attend.js';
import { beginning, type BegunEpisode } from '../operations/episodes/beginning.js';
import { endEpisode } from '../operations/episodes/end.js';
import { adoptEpisode, findEpisode, sessionEpisode } from '../operations/episodes/find-episode.js';
import { lateEnding } from '../operations/episodes/late-ending.js';
import { waitOutcome } from '../operations/episodes/outcome.js';
import { refusal } from '../operations/episodes/refusal.js';
import {
  interruptAction,
  outcomeDelivered,
  takenAction,
  type TakenActionPorts,
} from '../operations/episodes/taken-action.js';
import type { PortsOf } from '../operations/ports-of.js';
import { openAttendance } from './attendance.js';
import { type BeginContext, beginningEpisodes, type Beginnings, type BeginPorts } from './begin-episodes.js';
import { rideOut } from './ride-out.js';

/** An outcome, with the names of its episode for the client. */
export interface PlayedStep {
  episodeId: string;
  task: string;
  outcome: EpisodeOutcome;
}

/**
 * Episodes as every protocol plays them. Each call waits for services that restart; a server's
 * death loses nothing.
 */
export interface Play extends Beginnings {
  /** By the trainer's id or the run's. Throws BenchError (not_found, `episode.not_found`). */
  known(id: string): Promise<EpisodeRow>;
  /** What a session plays; null: nothing yet. */
  ofSession(session: string): Promise<EpisodeRow | null>;
  /** From now on this session plays that episode. */
  adopt(runId: string, session: string): Promise<void>;
  beginning(episode: EpisodeRow): Promise<BegunEpisode>;
  /**
   * Takes an action. Returns its number. Throws BenchError (conflict) for one out of turn or after
   * the end.
   */
  act(episode: EpisodeRow, request: ActionRequest): Promise<number>;
  /**
   * Waits for an outcome, at most so many seconds; null: the action still runs. The episode is not
   * given up while a client waits.
   */
  outcome(episode: EpisodeRow, seq: number, seconds: number, signal?: AbortSignal): Promise<PlayedStep | null>;
  /**
   * How an episode ended that no action ended; null: it is running, or the last outcome says so.
   */
  lateEnding(episode: EpisodeRow): Promise<PlayedStep | null>;
  /** An action as it was taken; null: none has this number. */
  taken(runId: string, seq: number): Promise<TakenBefore | null>;
  /** The client has read the outcome of this action. */
  delivered(runId: string, seq: number): Promise<void>;
  /** Interrupts the command of an action, if it still runs: its outcome follows. */
  interrupt(runId: string, seq: number): Promise<void>;
  /** Its client is present: the idle time starts again. */
  touch(runId: string): Promise<void>;
  /** The same for every request: few of them write. */
  present(episode: EpisodeRow): Promise<void>;
  /**
   * Its client is present, but cannot return to a server that died: after so many seconds the
   * episode is given up.
   */
  expireIn(runId: string, seconds: number): Promise<void>;
  /** The client went away: unless it returns within so many seconds, the episode is given up. */
  detach(runId: string, seconds: number): Promise<void>;
  end(episode: EpisodeRow): Promise<void>;
}

type SessionPorts = PortsOf<typeof sessionEpisode | typeof adoptEpisode>;

export type PlayPorts = BeginPorts & ActPorts & AttendPorts & SessionPorts & TakenActionPorts;

type PlayContext = BeginContext & { bench: PlayPorts };

export function playing(context: PlayContext): Play {
  const { bench, progress } = context;
  const attendance = openAttendance(bench);
  return {
    touch: (runId) => attendance.touch(runId),
    present: (episode) => attendance.present(episode),
    expireIn: (runId, seconds) => attendance.expireIn(runId, seconds),
    detach: (runId, seconds) => attendance.detach(runId, seconds),
    ...beginningEpisodes(context),
    ofSession: (session) => rideOut(() => sessionEpisode(bench, session)),
    adopt: (runId, session) => rideOut(() => adoptEpisode(bench, runId, session)),
    taken: (runId, seq) => rideOut(() => takenAction(bench, runId, seq)),
    interrupt: (runId, seq) => rideOut(() => interruptAction(bench, runId, seq)),
    delivered: (runId, seq) => rideOut(() => outcomeDelivered(bench, runId, seq)),
    async known(id) {
      const episode = await rideOut(() => findEpisode(bench, id));
      if (episode === null)
        throw new BenchError('not_found', `no episode ${id}`, {
          code: 'episode.not_found',
          remedy: 'POST /v1/episodes begins one.',
        });
      return episode;
    },
    beginning: (episode) => rideOut(() => beginning(bench, episode)),
    async act(episode, request) {
      // Numbered here if its sender did not, so that it is the same action when the database goes
      // away in the middle.
      const numbered = { ...request, seq: request.seq ?? episode.seq + 1 };
      const taken = await rideOut(() => act(bench, episode, numbered));
      const refused = refusal(taken, episode.episodeId);
      if (refused !== null) throw refused;
      if (taken.kind === 'taken' && !taken.repeated) attendance.written(episode.runId);
      return numbered.seq;
    },
    async outcome(episode, seq, seconds, signal) {
      const { runId, episodeId, task } = episode;
      void attendance.present(episode);
      const until = Date.now() + seconds * 1000;
      const left = (): number => Math.max(0, (until - Date.now()) / 1000);
      const outcome = await attendance.during(episode, () =>
        rideOut(() =>
          waitOutcome(bench, progress, { runId, seq, seconds: left(), ...(signal !== undefined && { signal }) }),
        ),
      );
      return outcome === null ? null : { episodeId, task, outcome };
    },
    async lateEnding(episode) {
      const outcome = await rideOut(() => lateEnding(bench, episode));
      return outcome === null ? null : { episodeId: episode.episodeId, task: episode.task, outcome };
    },
    end: (episode) => rideOut(() => endEpisode(bench, episode)),
  };
}
