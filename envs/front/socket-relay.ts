import { setTimeout as sleep } from 'node:timers/promises';
import type { RawData, WebSocket } from 'ws';
import { receivedSeq } from './received.js';

interface Frame {
  data: RawData;
  binary: boolean;
}

const bytesOf = ({ data }: Frame): number =>
  FRAME_BYTES + (Array.isArray(data) ? data.reduce((sum, part) => sum + part.length, 0) : data.byteLength);

const PING_MS = 20_000;
/** A silent client is gone after this; a trainer's event loop may be busy with training. */
const DEAD_MS = 300_000;
/** A frame that so many servers died of may be the cause. */
const MAX_SERVERS = 10;
/** Another server will come. Other codes are for the client. */
const SERVER_GONE = new Set([1001, 1006, 1012]);
const NO_CODE = 1005;
/** Unanswered frames: clients send one at a time, so more is a fault or an attack. */
const MOST_UNANSWERED_BYTES = 16 * 1024 * 1024;
/** Overhead per frame. */
const FRAME_BYTES = 1024;
const TOO_MUCH = 1008;
const LOST = 1006;

interface Relayed {
  /** Last outcome that the client has read; null: none. */
  received: number | null;
  answered: number;
}

/** Connects to the next server; null: none, or it refuses this client. */
export type NextServer = (relayed: Relayed, signal: AbortSignal) => Promise<WebSocket | null>;

/** Relays a client's WebSocket; when the server dies, resends unanswered frames to the next. */
export class SocketRelay {
  #server: WebSocket | null = null;
  /** In order; each gets a reply. */
  #unanswered: Frame[] = [];
  #waitingBytes = 0;
  #lastReply: RawData | null = null;
  #answered = 0;
  #deaths = 0;
  #heardAt = Date.now();
  readonly #gone = new AbortController();

  constructor(
    private readonly client: WebSocket,
    server: WebSocket,
    private readonly next: NextServer,
  ) {
    client.on('message', (data, binary) => {
      this.#heardAt = Date.now();
      const frame = { data, binary };
      this.#waitingBytes += bytesOf(frame);
      if (this.#waitingBytes > MOST_UNANSWERED_BYTES) return void client.close(TOO_MUCH, 'too many frames at once');
      this.#unanswered.push(frame);
      this.#server?.send(data, { binary });
    });
    client.on('pong', () => (this.#heardAt = Date.now()));
    client.on('error', () => undefined);
    const pings = setInterval(() => this.#ping(), PING_MS);
    client.once('close', (code, reason) => {
      clearInterval(pings);
      this.#gone.abort();
      if (this.#server !== null) closeAs(this.#server, code, reason);
    });
    this.#attach(server);
  }

  get waits(): boolean {
    return this.#unanswered.length > 0;
  }

  end(): void {
    this.#gone.abort();
    this.client.close(1012, 'the server restarts');
  }

  #attach(server: WebSocket): void {
    this.#server = server;
    server.on('message', (data, binary) => {
      this.#deaths = 0;
      const frame = this.#unanswered.shift();
      if (frame !== undefined) this.#waitingBytes -= bytesOf(frame);
      this.#answered += 1;
      this.#lastReply = data;
      this.client.send(data, { binary });
    });
    server.once('close', (code, reason) => {
      this.#server = null;
      if (this.#gone.signal.aborted) return;
      if (SERVER_GONE.has(code)) void this.#follow();
      else closeAs(this.client, code, reason);
    });
    for (const { data, binary } of this.#unanswered) server.send(data, { binary });
    server.resume();
  }

  async #follow(): Promise<void> {
    this.#deaths += 1;
    // A dead server is still listed until its end is known.
    if (this.#deaths > 1) await sleep(100);
    const received = this.#lastReply === null ? null : receivedSeq(textOf(this.#lastReply));
    const server =
      this.#deaths > MAX_SERVERS ? null : await this.next({ received, answered: this.#answered }, this.#gone.signal);
    if (server !== null && !this.#gone.signal.aborted) return this.#attach(server);
    server?.terminate();
    this.client.close(1011, 'the server does not come back');
  }

  #ping(): void {
    if (Date.now() - this.#heardAt > DEAD_MS) return this.client.terminate();
    this.client.ping();
  }
}

function closeAs(socket: WebSocket, code: number, reason: Buffer): void {
  if (code === LOST) return socket.terminate();
  if (code === NO_CODE) return socket.close();
  socket.close(code, reason);
}

function textOf(data: RawData): string {
  return Array.isArray(data) ? Buffer.concat(data).toString() : Buffer.from(data as Buffer).toString();
}
