import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { BenchError } from '../../domain/errors.js';
import type { EpisodeRow } from '../../domain/ports/episodes.js';
import { resetRequest, resumeSchema } from '../../domain/requests/episode.js';
import { checked } from '../checked.js';
import type { Play, PlayedStep } from '../play.js';
import { stillRuns } from '../soft-step.js';
import { isDone } from '../wire.js';
import { begunObservation, type Observation, stepObservation, toolObservation } from './frames.js';
import type { SentStep } from './action.js';
import { type First, takeStep } from './step.js';

/** What names a client's session. */
export interface SessionName {
  /** Its key; null: the connection is the session. */
  key: string | null;
  /** The key is the name of a relay's connection: its client knows none. */
  relayed?: boolean;
  /** Task of resets that name none. */
  task: string | null;
  /** The protocol that its episodes are stored under; default: OpenEnv. */
  protocol?: string;
  /** Seconds after which a command that still runs is answered, where its reset does not say; 0: never. */
  softSeconds?: number;
}

/** One answer to a client, and which outcome it will have read then. */
export interface Answered {
  data: Observation;
  episode: EpisodeRow;
  /** Number of the action whose outcome this is; null: none. */
  settled: number | null;
}

export interface StepContext {
  first: First;
  signal?: AbortSignal;
  /** Numbers are the trainer's for certain; default: if all steps of the connection have had one. A model may write one into its action. */
  numbers?: 'trusted';
  /** Most seconds to wait for the outcome; default: as the reset said. */
  seconds?: number | null;
}

/** Seconds after which a command that still runs is answered, unless its reset says otherwise: clients give up after 60. */
const SOFT_STEP_S = 45;

/** Of sessions whose clients have no key: whoever knows the id of such an episode may go on with it. */
const RELAYED = 'relayed ';

/** A client's session. With a key it is rows alone: any connection, and any server, finds it again. */
export class EnvSession {
  #runId: string | null = null;
  /** Each step of this connection has had a number; null: there was none yet. */
  #numbers: boolean | null = null;
  /** See hasPlayed: of this connection. */
  #played = false;
  /** Run whose end this connection has received. */
  #over: string | null = null;
  readonly #session: string | null;

  constructor(
    private readonly play: Play,
    private readonly name: SessionName,
  ) {
    const hash = name.key === null ? null : createHash('sha256').update(name.key).digest('hex');
    this.#session = hash !== null && name.relayed === true ? `${RELAYED}${hash}` : hash;
  }

  get keyed(): boolean {
    return this.#session !== null;
  }

  /** What it plays; null: nothing yet. */
  async episode(): Promise<EpisodeRow | null> {
    const found =
      this.#runId !== null
        ? await this.play.known(this.#runId)
        : this.#session === null
          ? null
          : await this.play.ofSession(this.#session);
    if (found !== null) this.#played = true;
    return found;
  }

  /** It has begun an episode, be that over, or another session's by now. */
  async hasPlayed(): Promise<boolean> {
    return this.#played || (await this.episode()) !== null;
  }

  /** Goes on with this episode. Throws BenchError (not_found) for one that is not there, or another session's. */
  async attach(id: string): Promise<EpisodeRow> {
    const episode = await this.play.known(id);
    this.#refuseForeign(episode);
    if (this.#session === null) this.#runId = episode.runId;
    else if (episode.session !== this.#session) await this.play.adopt(episode.runId, this.#session);
    await this.play.touch(episode.runId);
    return episode;
  }

  /** Its client is there, be it again. `received`: number of the action whose outcome it has read, as far as that is known. */
  async present(received: number | null): Promise<void> {
    const episode = await this.episode();
    if (episode === null) return;
    if (!episode.ended) await this.play.touch(episode.runId);
    if (received === episode.seq && received > 0) await this.play.delivered(episode.runId, received);
  }

  /** Run that it goes on with by its connection alone; null: none. */
  get held(): string | null {
    return this.#runId;
  }

  /** Begins an episode, and gives up the one before it. Throws BenchError (usage) that names wrong keys; (conflict, `episodes.at_capacity`). */
  async reset(sent: Record<string, unknown>, { first }: StepContext): Promise<Answered> {
    // Clients send what their caller left out as null.
    const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null));
    if ('resume_episode' in given) return this.#resume(checked(resumeSchema, given).resume_episode);
    const named = ['task', 'split', 'fork_of'].some((key) => key in given);
    const body = named || this.name.task === null ? given : { ...given, task: this.name.task };
    const request = resetRequest(body);
    const before = await this.episode();
    if (before !== null && !before.ended && before.episodeId !== request.episode_id) {
      // The answer to this very reset was lost: nobody has acted upon it.
      const same =
        first !== false && this.keyed && before.seq === 0 && isDeepStrictEqual({ ...before.reset }, { ...request });
      if (same) return begun(before, begunObservation(await this.play.beginning(before)));
      await this.play.end(before);
    }
    const beginning = await this.play.reset(this.name.protocol ?? 'openenv', body, { session: this.#session });
    const { episode } = beginning;
    this.#played = true;
    if (episode.session !== this.#session) await this.attach(episode.runId);
    else if (!this.keyed) this.#runId = episode.runId;
    // An id of an episode that has been played: it is resumed.
    if (episode.seq > 0) return this.#resume(episode.runId);
    return begun(episode, begunObservation(beginning));
  }

  /** Takes a step. Throws BenchError for an `action_seq` that does not follow, after the end, and for what is our fault. */
  async step(sent: SentStep, { first, signal, seconds, numbers }: StepContext): Promise<Answered> {
    // Clients of tools may call one without a reset.
    if (sent.tool !== null && (await this.episode()) === null) await this.reset({}, { first: false });
    const episode = await this.episode();
    if (episode === null)
      throw new BenchError('conflict', 'no episode has begun', {
        code: 'episode.not_found',
        remedy: 'Reset before the first step.',
      });
    if (this.#over === episode.runId && sent.seq === null) throw endedError(episode);
    const softSeconds = seconds ?? episode.reset.soft_step_s ?? this.name.softSeconds ?? SOFT_STEP_S;
    const answer = await takeStep(this.play, episode, sent, {
      ...{ first, softSeconds, trusted: numbers === 'trusted', numbers: this.#numbers ?? episode.seq > 0 },
      ...(signal !== undefined && { signal }),
    });
    this.#numbers = sent.seq !== null && this.#numbers !== false;
    if (answer.kind === 'done') refuseFault(episode, answer.played);
    const data = sent.tool === null ? stepObservation(episode, answer) : toolObservation(episode, sent.tool, answer);
    if (data.done) this.#over = episode.runId;
    return { data, episode, settled: answer.kind === 'done' ? answer.seq : null };
  }

  async state(): Promise<Record<string, unknown>> {
    const episode = await this.episode();
    if (episode === null) return { episode_id: null, step_count: 0 };
    const { episodeId, seq, nextStep, ended, endReason } = episode;
    void this.play.present(episode);
    const { task, seed } = await this.play.beginning(episode);
    const rest = { action_seq: seq, current_step: nextStep, done: ended, end_reason: endReason };
    return { episode_id: episodeId, step_count: seq, task, seed, ...rest };
  }

  #refuseForeign({ session, episodeId }: EpisodeRow): void {
    if (session === null || session === this.#session || session.startsWith(RELAYED)) return;
    throw new BenchError('not_found', `episode ${episodeId} belongs to another session`, {
      code: 'episode.not_found',
      remedy: 'Connect with the key of that session.',
    });
  }

  /** The latest observation of an episode; nothing is paid again, `missed` holds an outcome that nobody may have read. */
  async #resume(id: string): Promise<Answered> {
    const episode = await this.attach(id);
    if (episode.seq === 0) return begun(episode, begunObservation(await this.play.beginning(episode)));
    const { seq, runId } = episode;
    const taken = await this.play.taken(runId, seq);
    const last = await this.play.outcome(episode, seq, 0);
    if (last === null) return begun(episode, stepObservation(episode, await stillRuns(this.play, episode, seq)));
    const missed = taken?.delivered === true ? {} : { missed: [last] };
    const data = stepObservation(episode, { kind: 'done', seq, played: last, ...missed });
    return begun(episode, { ...data, reward: null, done: isDone(last.outcome) });
  }
}

const endedError = ({ episodeId }: EpisodeRow): BenchError =>
  new BenchError('conflict', `episode ${episodeId} has ended`, {
    code: 'episode.ended',
    remedy: 'Reset to begin another.',
  });

const begun = (episode: EpisodeRow, data: Observation): Answered => ({ data, episode, settled: null });

/** A fault of ours is an error: a polite end would be trained on as a zero. */
function refuseFault({ reset, episodeId }: EpisodeRow, { outcome: { fault } }: PlayedStep): void {
  if (fault === null || reset.on_fault === 'null') return;
  const detail = fault.detail === null ? '' : `: ${fault.detail}`;
  throw new BenchError('failed', `episode ${episodeId} failed by ${fault.reason}${detail}`, {
    remedy: 'Leave it out of the training and reset; reset(on_fault="null") returns a null reward instead.',
  });
}
