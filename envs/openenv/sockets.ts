// ws on Fastify's own server: a dependency that we have, and 30 lines; @fastify/websocket would put a second layer around the same.
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { openEpisodes } from '../../operations/episodes/room.js';
import type { ServerContext } from '../context.js';
import { MOST_FRAME_BYTES } from '../frame-bytes.js';
import { harborTools } from '../rollouts/harbor.js';
import type { Play } from '../play.js';
import {
  ANSWERED_HEADER,
  CONNECTION_HEADER,
  RECEIVED_HEADER,
  SESSION_HEADER,
  SESSION_KEY,
  TASK_HEADER,
  withoutPrefixes,
} from '../prefixes.js';
import type { Reading } from '../reading.js';
import { mayPlay } from '../token.js';
import { Connection, type ConnectionOptions, errorFrame } from './connection.js';
import { isSessionId, openRpc, type Rpc } from './rpc.js';
import { EnvSession } from './session.js';

const PING_MS = 20_000;
/** Longer than a client's event loop is busy with anything else. */
const DEAD_MS = 300_000;

export interface Sockets {
  /** Serves `/ws` of this server. */
  listen(server: Server): void;
  /** What answers calls over HTTP with this session key. */
  rpc(key: string | null, task: string | null): Rpc;
  close(): void;
}

export function openSockets(context: ServerContext, play: Play, reading: Reading): Sockets {
  const { bench, env, graceSeconds, token } = context;
  const harbor = harborTools(context);
  const server = new WebSocketServer({
    ...{ noServer: true, maxPayload: MOST_FRAME_BYTES, clientTracking: true },
    perMessageDeflate: { threshold: 1024 },
  });
  const live = new Map<Connection, { socket: WebSocket; session: EnvSession; heard: number }>();
  /** Sessions with a key, and the one connection of each. */
  const bySession = new Map<string, Connection>();
  const closing = new Set<string>();
  const forgotten = new Set<string>();
  const counts = async () => ({
    active_sessions: await openEpisodes(bench, env),
    max_sessions: env.options.capacity,
  });
  const rpc = (key: string | null, task: string | null): Rpc =>
    openRpc({
      ...{ play, counts, key },
      find(id) {
        const known = id === key || (isSessionId(id) && !forgotten.has(id));
        return known && typeof id === 'string' ? new EnvSession(play, { key: id, task }) : null;
      },
      endsWithSocket(id) {
        if (bySession.has(id)) closing.add(id);
        return bySession.has(id);
      },
      forget: (id) => forgotten.add(id),
      async read(runId) {
        await reading.over(runId);
        for (const connection of live.keys()) await connection.readBefore(runId);
      },
    });

  const serve = (socket: WebSocket, named: NamedSession): void => {
    const { key, task, received } = named;
    const before = key === null ? undefined : bySession.get(key);
    const session = new EnvSession(play, { key, task, relayed: named.relayed });
    const heldElsewhere = (runId: string): boolean =>
      [...live.values()].some((other) => other.session !== session && other.session.held === runId);
    const options: ConnectionOptions = {
      ...{ play, session, rpc: rpc(key, task), harbor: named.made ? harbor : null },
      ...{ graceSeconds, heldElsewhere, counts },
      ...{ relay: named.relay, ...named.ends },
    };
    const ready = (before?.replace() ?? Promise.resolve()).then(() => session.present(received));
    const connection = new Connection(
      socket,
      options,
      ready.catch(() => undefined),
    );
    const state = { socket, session, heard: Date.now() };
    live.set(connection, state);
    if (key !== null) bySession.set(key, connection);
    socket.on('pong', () => (state.heard = Date.now()));
    socket.on('close', () => {
      live.delete(connection);
      if (key === null || bySession.get(key) !== connection) return;
      bySession.delete(key);
      if (!closing.delete(key)) return;
      forgotten.add(key);
      void session
        .episode()
        .then((episode) => (episode === null ? undefined : play.end(episode)))
        .catch(() => undefined);
    });
  };

  const pings = setInterval(() => {
    for (const [connection, { socket, heard }] of live) {
      if (Date.now() - heard > DEAD_MS) socket.terminate();
      else socket.ping();
      void connection.beat().catch(() => undefined);
    }
  }, PING_MS);

  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const url = new URL(withoutPrefixes(request), 'http://server');
    if (url.pathname !== '/ws') return refuse(socket, '404 Not Found');
    if (!mayPlay(request.headers, token)) return refuse(socket, '401 Unauthorized');
    server.handleUpgrade(request, socket, head, (client) => {
      const named = nameOf(request, url.searchParams.get('session_id'), forgotten);
      if (typeof named !== 'string') return serve(client, named);
      client.send(JSON.stringify(errorFrame('SESSION_ERROR', named)));
      client.close(1008);
    });
  };

  return {
    rpc,
    listen: (http) => void http.on('upgrade', upgrade),
    close() {
      clearInterval(pings);
      for (const [connection] of live) connection.leave();
      for (const client of server.clients) client.terminate();
      server.close();
    },
  };
}

interface NamedSession {
  key: string | null;
  task: string | null;
  /** Its client made it by `openenv/session/create`, as Harbor's does; those that send a model's words as steps attach to none. */
  made: boolean;
  relayed: boolean;
  /** Number of the action whose outcome its client has read; null: that is not known. */
  received: number | null;
  relay: ConnectionOptions['relay'];
  ends: Pick<ConnectionOptions, 'onClose' | 'onLoss'>;
}

/** Which session a connection is of; a text: what is wrong with its name. */
function nameOf(
  { headers }: IncomingMessage,
  id: string | null,
  forgotten: ReadonlySet<string>,
): NamedSession | string {
  const { [SESSION_HEADER]: own, [CONNECTION_HEADER]: relayed, [TASK_HEADER]: named } = headers;
  const task = typeof named === 'string' ? named : null;
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
