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
/** A client that has answered none for so long is gone; a trainer's event loop may be busy with training meanwhile. */
const DEAD_MS = 300_000;
/** A frame that reached so many servers which died may be why. */
const MAX_SERVERS = 10;
/** The server died, or stops: another one comes. Any other code is for the client. */
const SERVER_GONE = new Set([1001, 1006, 1012]);
const NO_CODE = 1005;
/** Bytes of frames that wait for their replies. Clients send one frame at a time: one that sends so many is broken, or attacks. */
const MOST_UNANSWERED_BYTES = 16 * 1024 * 1024;
/** Each frame has a cost of its own. */
const FRAME_BYTES = 1024;
const TOO_MUCH = 1008;
const LOST = 1006;

/** What the next server must know of a client's socket. */
interface Relayed {
  /** Number of the action whose outcome its client has read; null: none. */
  received: number | null;
  /** Frames that have been answered. */
  answered: number;
}

/** How a relay comes to a socket of the next server; null: there is none, or it refuses this client. */
export type NextServer = (relayed: Relayed, signal: AbortSignal) => Promise<WebSocket | null>;

/** Relays a client's WebSocket to the server, and to the next one when it dies: what has no reply then is sent again. */
export class SocketRelay {
  #server: WebSocket | null = null;
  /** Sent by the client, without a reply: each has one, in their order. */
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

  /** The client waits for a reply. */
  get waits(): boolean {
    return this.#unanswered.length > 0;
  }

  /** The server ends. */
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
    // Not at once: a server that dies is listed until its end is known.
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

/** Ends one side as the other side ended. */
function closeAs(socket: WebSocket, code: number, reason: Buffer): void {
  if (code === LOST) return socket.terminate();
  if (code === NO_CODE) return socket.close();
  socket.close(code, reason);
}

function textOf(data: RawData): string {
  return Array.isArray(data) ? Buffer.concat(data).toString() : Buffer.from(data as Buffer).toString();
}
