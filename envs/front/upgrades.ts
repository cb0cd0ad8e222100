import { randomBytes } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import { dial, type Dialled } from './dial.js';
import type { ServerProcess } from './server-process.js';
import { MOST_FRAME_BYTES } from '../frame-bytes.js';
import { ANSWERED_HEADER, CONNECTION_HEADER, RECEIVED_HEADER } from '../prefixes.js';
import { endToEnd, forwardedUpgrade } from './headers.js';
import { STARTING_BODY, STARTING_HEADERS } from './relay-http.js';
import { SocketRelay } from './socket-relay.js';

/** How long a handshake or a socket waits for a server. */
const HOLD_MS = 60_000;
const PAUSE_MS = 50;

/** Clients' WebSockets. The server answers their handshakes, and each has a socket to it. */
export class Upgrades {
  readonly #server = new WebSocketServer({
    ...{ noServer: true, maxPayload: MOST_FRAME_BYTES, perMessageDeflate: { threshold: 1024 } },
  });
  readonly #relays = new Set<SocketRelay>();

  constructor(private readonly serverProcess: ServerProcess) {}

  get waiting(): number {
    return [...this.#relays].filter(({ waits }) => waits).length;
  }

  async take(request: IncomingMessage, raw: Duplex, head: Buffer): Promise<void> {
    const gone = new AbortController();
    raw.on('error', () => undefined);
    raw.once('close', () => gone.abort());
    const url = request.url ?? '/';
    const headers = { ...forwardedUpgrade(request), [CONNECTION_HEADER]: randomBytes(16).toString('hex') };
    const found = await this.#dial(url, headers, gone.signal);
    if (raw.destroyed) {
      if (found !== null && 'socket' in found) found.socket.terminate();
      return;
    }
    if (found === null) return refuse(raw, 503, Object.entries(STARTING_HEADERS).flat(), Buffer.from(STARTING_BODY));
    if ('refusal' in found) {
      const { refusal } = found;
      const body = await buffer(refusal).catch(() => Buffer.alloc(0));
      return refuse(raw, refusal.statusCode ?? 502, endToEnd(refusal.rawHeaders), body);
    }
    // The library answers upgrades that it refuses.
    raw.once('close', () => found.socket.terminate());
    this.#server.handleUpgrade(request, raw, head, (client) => {
      const relay = new SocketRelay(client, found.socket, ({ received, answered }, signal) => {
        const known = received === null ? {} : { [RECEIVED_HEADER]: String(received) };
        return this.#again(url, { ...headers, ...known, [ANSWERED_HEADER]: String(answered) }, signal);
      });
      this.#relays.add(relay);
      client.once('close', () => this.#relays.delete(relay));
    });
  }

  end(): void {
    for (const relay of this.#relays) relay.end();
  }

  async #again(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<WebSocket | null> {
    const found = await this.#dial(url, headers, signal);
    if (found === null || 'socket' in found) return found?.socket ?? null;
    found.refusal.destroy();
    return null;
  }

  async #dial(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<Dialled> {
    const until = Date.now() + HOLD_MS;
    while (!signal.aborted) {
      const server = await this.serverProcess.listening(until - Date.now(), signal);
      if (server === null) return null;
      const found = await dial(server, url, headers, signal);
      if (found !== null) return found;
      if (Date.now() > until) return null;
      await sleep(PAUSE_MS);
    }
    return null;
  }
}

/** Answers a handshake without a WebSocket. `headers`: names and values in turn. */
export function refuse(raw: Duplex, status: number, headers: readonly string[], body: Buffer): void {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Connection: close',
    `Content-Length: ${body.length}`,
  ];
  for (let at = 0; at + 1 < headers.length; at += 2)
    if (!['content-length', 'connection'].includes(headers[at]?.toLowerCase() ?? ''))
      lines.push(`${headers[at]}: ${headers[at + 1]}`);
  raw.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]));
}
