import type { EpisodeOutcome } from '../domain/episodes/action-outcome.js';
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

export interface PlayedStep {
  episodeId: string;
  task: string;
  outcome: EpisodeOutcome;
}

/** Calls wait for services that restart; a server's death loses nothing. */
export interface Play extends Beginnings {
  /** By the trainer's id or the run's. Throws BenchError (not_found, `episode.not_found`). */
  known(id: string): Promise<EpisodeRow>;
  ofSession(session: string): Promise<EpisodeRow | null>;
  /** This session plays that episode from now on. */
  adopt(runId: string, session: string): Promise<void>;
  beginning(episode: EpisodeRow): Promise<BegunEpisode>;
  /** Returns the action's number. Throws BenchError (conflict) out of turn or after the end. */
  act(episode: EpisodeRow, request: ActionRequest): Promise<number>;
  /** Null: the action still runs. The episode is not given up while a client waits. */
  outcome(episode: EpisodeRow, seq: number, seconds: number, signal?: AbortSignal): Promise<PlayedStep | null>;
  /** Null: it runs, or the last outcome reports its end. */
  lateEnding(episode: EpisodeRow): Promise<PlayedStep | null>;
  taken(runId: string, seq: number): Promise<TakenBefore | null>;
  delivered(runId: string, seq: number): Promise<void>;
  /** The action's outcome follows. */
  interrupt(runId: string, seq: number): Promise<void>;
  /** See Attendance. */
  touch(runId: string): Promise<void>;
  present(episode: EpisodeRow): Promise<void>;
  /** See Attendance. */
  expireIn(runId: string, seconds: number): Promise<void>;
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
      // Numbered, so that a retry after an outage is the same action.
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
