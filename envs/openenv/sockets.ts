// The `ws` library, without Hono's helper: that bounds no frames, sends no pings, cannot terminate.
import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { openEpisodes } from '../../operations/episodes/room.js';
import type { ServerContext } from '../context.js';
import { MOST_FRAME_BYTES } from '../frame-bytes.js';
import { harborTools } from '../rollouts/harbor.js';
import type { Play } from '../play.js';
import {
  ANSWERED_HEADER,
  type Client,
  CONNECTION_HEADER,
  RECEIVED_HEADER,
  readClient,
  SESSION_KEY,
} from '../prefixes.js';
import type { Reading } from '../reading.js';
import { mayPlay } from '../token.js';
import { Connection, type ConnectionOptions, errorFrame } from './connection.js';
import { isSessionId, openRpc, type Rpc } from './rpc.js';
import { EnvSession } from './session.js';

const PING_MS = 20_000;
/** Longer than a client's event loop is ever blocked. */
const DEAD_MS = 300_000;

interface Live {
  socket: WebSocket;
  session: EnvSession;
  heard: number;
}

export class Sockets {
  readonly #server = new WebSocketServer({
    ...{ noServer: true, maxPayload: MOST_FRAME_BYTES, clientTracking: true },
    perMessageDeflate: { threshold: 1024 },
  });
  readonly #live = new Map<Connection, Live>();
  /** Each session with a key has one connection. */
  readonly #bySession = new Map<string, Connection>();
  readonly #closing = new Set<string>();
  readonly #forgotten = new Set<string>();
  readonly #harbor: ReturnType<typeof harborTools>;
  readonly #pings = setInterval(() => this.#ping(), PING_MS);

  constructor(
    private readonly context: ServerContext,
    private readonly play: Play,
    private readonly reading: Reading,
  ) {
    this.#harbor = harborTools(context);
  }

  listen(http: Server): void {
    http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#upgrade(request, socket, head),
    );
  }

  rpc(key: string | null, task: string | null): Rpc {
    const { play, reading } = this;
    return openRpc({
      ...{ play, counts: this.#counts, key },
      find: (id) => {
        const known = id === key || (isSessionId(id) && !this.#forgotten.has(id));
        return known && typeof id === 'string' ? new EnvSession(play, { key: id, task }) : null;
      },
      endsWithSocket: (id) => {
        if (this.#bySession.has(id)) this.#closing.add(id);
        return this.#bySession.has(id);
      },
      forget: (id) => this.#forgotten.add(id),
      read: async (runId) => {
        await reading.over(runId);
        for (const connection of this.#live.keys()) await connection.readBefore(runId);
      },
    });
  }

  close(): void {
    clearInterval(this.#pings);
    for (const [connection] of this.#live) connection.leave();
    for (const client of this.#server.clients) client.terminate();
    this.#server.close();
  }

  readonly #counts = async () => ({
    active_sessions: await openEpisodes(this.context.bench, this.context.env),
    max_sessions: this.context.env.options.capacity,
  });

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { headers, url: sent = '/' } = request;
    const client = readClient(sent, (name) => headers[name]?.toString());
    const url = new URL(client.path, 'http://server');
    if (url.pathname !== '/ws') return refuse(socket, '404 Not Found');
    if (!mayPlay(client.token, this.context.token)) return refuse(socket, '401 Unauthorized');
    this.#server.handleUpgrade(request, socket, head, (opened) => {
      const named = nameOf(client, headers, { id: url.searchParams.get('session_id'), forgotten: this.#forgotten });
      if (typeof named !== 'string') return this.#serve(opened, named);
      opened.send(JSON.stringify(errorFrame('SESSION_ERROR', named)));
      opened.close(1008);
    });
  }

  #serve(socket: WebSocket, named: NamedSession): void {
    const { play } = this;
    const { key, task, received } = named;
    const before = key === null ? undefined : this.#bySession.get(key);
    const session = new EnvSession(play, { key, task, relayed: named.relayed });
    const heldElsewhere = (runId: string): boolean =>
      [...this.#live.values()].some((other) => other.session !== session && other.session.held === runId);
    const options: ConnectionOptions = {
      ...{ play, session, rpc: this.rpc(key, task), harbor: named.made ? this.#harbor : null },
      ...{ graceSeconds: this.context.graceSeconds, heldElsewhere, counts: this.#counts },
      ...{ relay: named.relay, ...named.ends },
    };
    const ready = (before?.replace() ?? Promise.resolve()).then(() => session.present(received));
    const after = ready.catch(() => undefined);
    const connection = new Connection(socket, options, after);
    const state = { socket, session, heard: Date.now() };
    this.#live.set(connection, state);
    if (key !== null) this.#bySession.set(key, connection);
    socket.on('pong', () => (state.heard = Date.now()));
    socket.on('close', () => this.#closed(connection, session, key));
  }

  #closed(connection: Connection, session: EnvSession, key: string | null): void {
    this.#live.delete(connection);
    if (key === null || this.#bySession.get(key) !== connection) return;
    this.#bySession.delete(key);
    if (!this.#closing.delete(key)) return;
    this.#forgotten.add(key);
    void session
      .episode()
      .then((episode) => (episode === null ? undefined : this.play.end(episode)))
      .catch(() => undefined);
  }

  #ping(): void {
    for (const [connection, { socket, heard }] of this.#live) {
      if (Date.now() - heard > DEAD_MS) socket.terminate();
      else socket.ping();
      void connection.beat().catch(() => undefined);
    }
  }
}

interface NamedSession {
  key: string | null;
  task: string | null;
  /** Made by `openenv/session/create`, as Harbor does; clients of models attach to none. */
  made: boolean;
  relayed: boolean;
  /** Last outcome that the client has read; null: unknown. */
  received: number | null;
  relay: ConnectionOptions['relay'];
  ends: Pick<ConnectionOptions, 'onClose' | 'onLoss'>;
}

/** The connection's session, or what is wrong with its name. */
function nameOf(
  { task, session: own }: Client,
  headers: IncomingHttpHeaders,
  { id, forgotten }: { id: string | null; forgotten: ReadonlySet<string> },
): NamedSession | string {
  const relayed = headers[CONNECTION_HEADER];
  const received = Number(headers[RECEIVED_HEADER] ?? NaN);
  const relay = isKey(relayed) ? { connection: relayed, answered: Number(headers[ANSWERED_HEADER] ?? 0) } : null;
  const client = {
    task,
    made: id !== null,
    relayed: false,
    received: Number.isSafeInteger(received) ? received : null,
    relay,
  };
  if (own !== undefined && !isKey(own))
    return 'the session key is 16 to 64 letters, digits, - and _ (/s/<key> or X-Bench-Session)';
  if (id !== null && id !== own) {
    if (!isSessionId(id) || forgotten.has(id)) return `Unknown session_id: ${id}`;
    return { key: id, ...client, ends: { onClose: 'grace', onLoss: 'grace' } };
  }
  if (isKey(own)) return { key: own, ...client, ends: { onClose: 'grace', onLoss: 'idle' } };
  if (isKey(relayed)) return { key: relayed, ...client, relayed: true, ends: { onClose: 'end', onLoss: 'grace' } };
  return { key: null, ...client, ends: { onClose: 'end', onLoss: 'grace' } };
}

const isKey = (key: unknown): key is string => typeof key === 'string' && SESSION_KEY.test(key);

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
