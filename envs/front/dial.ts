import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { WebSocket } from 'ws';
import type { RunningServer } from './server-process.js';

const MOST_REPLY_BYTES = 100 * 1024 * 1024;

/** A paused socket, the server's refusal, or null: not reached. */
export type Dialled = { socket: WebSocket } | { refusal: IncomingMessage } | null;

export function dial(
  server: RunningServer,
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Dialled> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`ws://server${url.startsWith('/') ? url : '/'}`, {
      createConnection: () => connect(server.socket),
      headers,
      perMessageDeflate: false,
      maxPayload: MOST_REPLY_BYTES,
    });
    const leave = (): void => socket.terminate();
    signal.addEventListener('abort', leave, { once: true });
    const done = (what: Dialled): void => {
      signal.removeEventListener('abort', leave);
      resolve(what);
    };
    socket.once('open', () => {
      socket.pause();
      done({ socket });
    });
    socket.once('unexpected-response', (_request, refusal) => done({ refusal }));
    // `close` follows each error, and is what counts once it is open.
    socket.on('error', () => done(null));
  });
}
