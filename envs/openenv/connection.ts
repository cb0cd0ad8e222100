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
  /** What becomes of an episode whose client closes the connection by a `close` frame. */
  onClose: 'end' | 'grace';
  /** What becomes of one whose connection is lost: it is given up after its grace, or as any other that nobody asks after. */
  onLoss: 'grace' | 'idle';
  graceSeconds: number;
  /** The front's name of its client's socket, and how many frames of it servers before this one answered; null: nothing stands in front. */
  relay: { connection: string; answered: number } | null;
  /** Another connection goes on with this run. */
  heldElsewhere(runId: string): boolean;
  /** Rollouts, as tools of a session that plays nothing itself; null: this is no session that Harbor's client made. */
  harbor: HarborTools | null;
  /** Episodes that are open, and how many may be. */
  counts(): Promise<{ active_sessions: number; max_sessions: number }>;
}

/** A frame of the client. */
interface Sent {
  text: string;
  /** See #nameOf. */
  name: string | undefined;
}

/** A client that is refused by a full server has this long to read why. */
const READ_MS = 5_000;
/** Expiry of the episode of a connection that is there, renewed by `beat`: short enough for a server that dies, long enough for one that returns. */
const LEAST_BEAT_SECONDS = 60;

/** A WebSocket of OpenEnv: frames in order, one reply each. It holds nothing that its loss would lose, but which answer was sent last. */
export class Connection {
  #queue: Promise<void>;
  #unread: { runId: string; seq: number } | null = null;
  #first = true;
  #refused = false;
  /** Closed by us, by its client, or taken over: nothing is left to be done when it is gone. */
  #settled = false;
  #heard = Date.now();
  #busy = 0;
  /** Frames that came. */
  #frames = 0;
  readonly #gone = new AbortController();

  /** `after`: what the session's connection before still does. */
  constructor(
    private readonly socket: WebSocket,
    private readonly options: ConnectionOptions,
    after: Promise<void>,
  ) {
    this.#queue = after;
    socket.on('message', (raw) => this.#take(raw));
    socket.on('close', () => void this.#lost());
    // `close` follows, and says all.
    socket.on('error', () => undefined);
  }

  /** Another connection goes on with its session. Returns when this one does nothing any more. */
  replace(): Promise<void> {
    this.#settled = true;
    this.#gone.abort();
    this.socket.close(4000, 'another connection continues this session');
    return this.#queue;
  }

  /** The server stops: its sessions wait for the next one. */
  leave(): void {
    this.#settled = true;
    this.#gone.abort();
    this.socket.close(1012, 'the server restarts');
  }

  /** Its client is there: keeps the episode of one that cannot come back to a server that died from waiting longer than its grace. */
  async beat(): Promise<void> {
    if (this.options.onLoss === 'idle' || this.#settled) return;
    const episode = await this.options.session.episode();
    if (episode === null || episode.ended || this.#settled) return;
    const most = Math.max(this.options.graceSeconds, LEAST_BEAT_SECONDS);
    const idleLeft = episode.idleSeconds - (Date.now() - this.#heard) / 1000;
    await this.options.play.expireIn(episode.runId, this.#busy > 0 ? most : Math.max(0, Math.min(most, idleLeft)));
  }

  /** Its client has sent a request for this run over HTTP: it has read what it was sent here. */
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

  /** The same for the same frame when the front sends it to another server; undefined: it never does. Shows nothing of the connection's key. */
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

  /** The client has read the last answer: it goes on. */
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
    // What a policy is shown begins with a reset: what it writes comes after one, and is an action whatever it looks like.
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
    // What it still does says, too, that somebody is there.
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
