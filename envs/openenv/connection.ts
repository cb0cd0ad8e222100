import { createHash } from 'node:crypto';
import type { RawData, WebSocket } from 'ws';
import type { HarborTools } from '../rollouts/harbor.js';
import { callsHarbor, harborCall } from '../rollouts/harbor-call.js';
import { asBenchError } from '../../operations/as-bench-error.js';
import type { EpisodeRow } from '../../domain/ports/episodes.js';
import type { Play } from '../play.js';
import { textOf } from '../http-errors.js';
import { refuseDeep, refuseUnstorable } from '../storable-input.js';
import { isObject, TOOLS } from '../tools.js';
import { listsTools, sentStep } from './action.js';
import type { Frame, Observation } from './frames.js';
import type { Rpc } from './rpc.js';
import type { Answered, EnvSession } from './session.js';

export interface ConnectionOptions {
  play: Play;
  session: EnvSession;
  rpc: Rpc;
  onClose: 'end' | 'grace';
  /** What a lost connection does: gives up after the grace time, or after the idle time. */
  onLoss: 'grace' | 'idle';
  graceSeconds: number;
  /** The front's socket name, and frames that earlier servers answered; null: no front. */
  relay: { connection: string; answered: number } | null;
  heldElsewhere(runId: string): boolean;
  /** Rollouts as tools; null: not a session of Harbor's client. */
  harbor: HarborTools | null;
  counts(): Promise<{ active_sessions: number; max_sessions: number }>;
}

interface Sent {
  text: string;
  name: string | undefined;
}

/** So that a refused client can read why. */
const READ_MS = 5_000;
/** Expiry, renewed by `beat`: enough for a returning server, not too long after a dead one. */
const LEAST_BEAT_SECONDS = 60;

/** A WebSocket: frames in order, one reply each. Its only state is the last answer sent. */
export class Connection {
  #queue: Promise<void>;
  #unread: { runId: string; seq: number } | null = null;
  #first = true;
  #refused = false;
  /** Closed, or taken over: its end needs no work. */
  #settled = false;
  #heard = Date.now();
  #busy = 0;
  #frames = 0;
  readonly #gone = new AbortController();

  /** `after`: unfinished work of the session's previous connection. */
  constructor(
    private readonly socket: WebSocket,
    private readonly options: ConnectionOptions,
    after: Promise<void>,
  ) {
    this.#queue = after;
    socket.on('message', (raw) => this.#take(raw));
    socket.on('close', () => void this.#lost());
    // `close` follows, with all that matters.
    socket.on('error', () => undefined);
  }

  /** Another connection took the session. Returns when this one has stopped work. */
  replace(): Promise<void> {
    this.#settled = true;
    this.#gone.abort();
    this.socket.close(4000, 'another connection continues this session');
    return this.#queue;
  }

  /** The server stops: sessions wait for the next one. */
  leave(): void {
    this.#settled = true;
    this.#gone.abort();
    this.socket.close(1012, 'the server restarts');
  }

  /** The client is present: extends the expiry of an episode that it could not return to. */
  async beat(): Promise<void> {
    if (this.options.onLoss === 'idle' || this.#settled) return;
    const episode = await this.options.session.episode();
    if (episode === null || episode.ended || this.#settled) return;
    const most = Math.max(this.options.graceSeconds, LEAST_BEAT_SECONDS);
    const idleLeft = episode.idleSeconds - (Date.now() - this.#heard) / 1000;
    await this.options.play.expireIn(episode.runId, this.#busy > 0 ? most : Math.max(0, Math.min(most, idleLeft)));
  }

  /** A request over HTTP shows that the client has read what was sent here. */
  async readBefore(runId: string): Promise<void> {
    if (this.#unread?.runId === runId && this.#busy === 0) await this.#read();
  }

  #take(raw: RawData): void {
    this.#heard = Date.now();
    if (this.#refused) return void this.socket.close(1013);
    this.#busy += 1;
    this.#frames += 1;
    const frame = { text: textOfFrame(raw), name: this.#nameOf(this.#frames) };
    this.#queue = this.#queue.then(() => this.#handle(frame)).finally(() => (this.#busy -= 1));
  }

  /** Stable when the front resends a frame to another server. Undefined: no front. */
  #nameOf(nth: number): string | undefined {
    const { relay } = this.options;
    if (relay === null) return undefined;
    const of = createHash('sha256').update(`frames of ${relay.connection}`).digest('hex');
    return `${of.slice(0, 24)}-${relay.answered + nth}`;
  }

  async #handle(sent: Sent): Promise<void> {
    if (this.#gone.signal.aborted) return;
    try {
      await this.#read();
      const frame = await this.#answer(sent);
      if (frame !== null) this.#send(frame);
      if (frame !== null) void this.beat().catch(() => undefined);
    } catch (thrown) {
      await this.#fail(thrown);
    }
  }

  /** The next frame shows that the client has read the last answer. */
  async #read(): Promise<void> {
    const unread = this.#unread;
    if (unread === null) return;
    await this.options.play.delivered(unread.runId, unread.seq);
    // Another answer may have been sent meanwhile.
    if (this.#unread === unread) this.#unread = null;
  }

  async #answer({ text, name }: Sent): Promise<Frame | null> {
    let sent: unknown;
    try {
      sent = JSON.parse(text);
    } catch (error) {
      return errorFrame('INVALID_JSON', `Invalid JSON: ${(error as Error).message}`);
    }
    if (!isObject(sent)) return invalid([], 'a frame is a JSON object with a type');
    const { type, data = {} } = sent;
    if (type === 'state') return { type: 'state', data: await this.options.session.state() };
    if (type === 'close') return this.#close();
    if (type !== 'reset' && type !== 'step' && type !== 'mcp')
      return errorFrame('UNKNOWN_TYPE', `Unknown message type: ${String(type)}`);
    if (!isObject(data)) return invalid(['data'], 'data is a JSON object');
    if (type === 'reset') refuseUnstorable(data);
    else refuseDeep(data);
    if (type === 'mcp') {
      const from = { session: this.options.session, first: this.#first, signal: this.#gone.signal };
      const { response, settled, stepped } = await this.options.rpc.answer(data, from);
      if (stepped) this.#first = false;
      if (settled !== null) this.#unread = settled;
      return { type: 'mcp', data: response };
    }
    if (type === 'step' && listsTools(data)) return observationFrame(toolList());
    const { session, harbor } = this.options;
    // Harbor calls come before a reset: after it, a step is a model's action.
    if (type === 'step' && harbor !== null && callsHarbor(data) && !(await session.hasPlayed()))
      return observationFrame(await harborCall(harbor, data, { name, signal: this.#gone.signal }));
    const context = { first: this.#first, signal: this.#gone.signal };
    const answered = type === 'reset' ? session.reset(data, context) : session.step(sentStep(data), context);
    return observationFrame(this.#noted(await answered));
  }

  #noted({ data, episode, settled }: Answered): Observation {
    this.#first = false;
    if (settled !== null) this.#unread = { runId: episode.runId, seq: settled };
    return data;
  }

  async #close(): Promise<null> {
    this.#settled = true;
    const { play, session, onClose, graceSeconds } = this.options;
    const episode = await session.episode();
    if (episode !== null && !episode.ended)
      await (onClose === 'end' ? play.end(episode) : play.detach(episode.runId, graceSeconds));
    this.socket.close(1000);
    return null;
  }

  async #lost(): Promise<void> {
    this.#gone.abort();
    if (this.#settled) return;
    this.#settled = true;
    const { play, session, onLoss, graceSeconds } = this.options;
    if (onLoss === 'idle') return;
    // Its pending work also counts as presence.
    await this.#queue;
    const episode = await session.episode().catch((): EpisodeRow | null => null);
    if (episode === null || episode.ended || this.options.heldElsewhere(episode.runId)) return;
    await play.detach(episode.runId, graceSeconds).catch(() => undefined);
  }

  async #fail(thrown: unknown): Promise<void> {
    const error = asBenchError(thrown);
    const message = textOf(error);
    if (error.code === 'episodes.at_capacity') {
      this.#refused = true;
      this.#send(errorFrame('CAPACITY_REACHED', message, await this.options.counts()));
      setTimeout(() => this.socket.close(1013), READ_MS).unref();
      return;
    }
    const wrong = error.type === 'usage' || (error.type === 'not_found' && error.code !== 'episode.not_found');
    this.#send(wrong ? invalid([], message) : errorFrame('EXECUTION_ERROR', message));
  }

  #send(frame: Frame): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(JSON.stringify(frame));
  }
}

const observationFrame = (data: Observation): Frame => ({ type: 'observation', data });

const toolList = (): Observation => ({ observation: { tools: TOOLS }, reward: null, done: false, metadata: {} });

export function errorFrame(
  code: (Frame & { type: 'error' })['data']['code'],
  message: string,
  more: Record<string, unknown> = {},
): Frame {
  return { type: 'error', data: { message, code, ...more } };
}

const invalid = (loc: string[], msg: string): Frame =>
  errorFrame('VALIDATION_ERROR', msg, { errors: [{ loc, msg, type: 'value_error' }] });

function textOfFrame(raw: RawData): string {
  if (Array.isArray(raw)) return Buffer.concat(raw).toString();
  return Buffer.from(raw as Buffer).toString();
}
