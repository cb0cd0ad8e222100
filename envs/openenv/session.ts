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

export interface SessionName {
  /** Null: the connection is the session. */
  key: string | null;
  /** The front's name of a connection: its client has no key. */
  relayed?: boolean;
  /** For resets that name none. */
  task: string | null;
  /** Stored with its episodes; default: OpenEnv. */
  protocol?: string;
  /** When a running command is answered, unless the reset says; 0: never. */
  softSeconds?: number;
}

export interface Answered {
  data: Observation;
  episode: EpisodeRow;
  /** Number of the action whose outcome this is; null: none. */
  settled: number | null;
}

export interface StepContext {
  first: First;
  signal?: AbortSignal;
  /** They are a trainer's; default: if all of the connection's steps had one. */
  numbers?: 'trusted';
  /** Limit of the wait for an outcome; default: the reset's. */
  seconds?: number | null;
}

/** When a running command is answered, by default: clients give up after 60 s. */
const SOFT_STEP_S = 45;

/** Prefix of sessions without a key: knowing such an episode's id suffices to continue it. */
const RELAYED = 'relayed ';

/** A client's session. With a key it is only rows: any connection, and any server, finds it. */
export class EnvSession {
  #runId: string | null = null;
  /** Each step of this connection had a number; null: no step yet. */
  #numbers: boolean | null = null;
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

  /** It has begun an episode, which may be over, or another session's by now. */
  async hasPlayed(): Promise<boolean> {
    return this.#played || (await this.episode()) !== null;
  }

  /** Throws BenchError (not_found) for an unknown episode, or another session's. */
  async attach(id: string): Promise<EpisodeRow> {
    const episode = await this.play.known(id);
    this.#refuseForeign(episode);
    if (this.#session === null) this.#runId = episode.runId;
    else if (episode.session !== this.#session) await this.play.adopt(episode.runId, this.#session);
    await this.play.touch(episode.runId);
    return episode;
  }

  /** `received`: number of the last outcome that the client has read, if known. */
  async present(received: number | null): Promise<void> {
    const episode = await this.episode();
    if (episode === null) return;
    if (!episode.ended) await this.play.touch(episode.runId);
    if (received === episode.seq && received > 0) await this.play.delivered(episode.runId, received);
  }

  /** Run that only its connection keeps; null: none. */
  get held(): string | null {
    return this.#runId;
  }

  /** Gives up the previous episode. Throws BenchError (usage; conflict, `episodes.at_capacity`). */
  async reset(sent: Record<string, unknown>, { first }: StepContext): Promise<Answered> {
    // Clients send arguments that their caller omitted as null.
    const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null));
    if ('resume_episode' in given) return this.#resume(checked(resumeSchema, given).resume_episode);
    const named = ['task', 'split', 'fork_of'].some((key) => key in given);
    const body = named || this.name.task === null ? given : { ...given, task: this.name.task };
    const request = resetRequest(body);
    const before = await this.episode();
    if (before !== null && !before.ended && before.episodeId !== request.episode_id) {
      // This reset's answer was lost, and no action followed.
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
    // The id of a played episode: resume it.
    if (episode.seq > 0) return this.#resume(episode.runId);
    return begun(episode, begunObservation(beginning));
  }

  /** Throws BenchError for an `action_seq` out of order, after the end, and for our faults. */
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

  /** The latest observation, without paying again; `missed`: an outcome that may be unread. */
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

/** Our faults are errors: an ordinary end would be trained on as a zero. */
function refuseFault({ reset, episodeId }: EpisodeRow, { outcome: { fault } }: PlayedStep): void {
  if (fault === null || reset.on_fault === 'null') return;
  const detail = fault.detail === null ? '' : `: ${fault.detail}`;
  throw new BenchError('failed', `episode ${episodeId} failed by ${fault.reason}${detail}`, {
    remedy: 'Leave it out of the training and reset; reset(on_fault="null") returns a null reward instead.',
  });
}
