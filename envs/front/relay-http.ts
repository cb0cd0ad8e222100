import { randomBytes } from 'node:crypto';
import { type IncomingMessage, type OutgoingHttpHeaders, request as send, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningServer, ServerProcess } from './server-process.js';
import { REQUEST_HEADER } from '../prefixes.js';
import { endToEnd, forwarded } from './headers.js';
import { isHeld, isRepeatable } from './repeatable.js';

/** Larger bodies are streamed, and not sent twice. */
const KEPT_BYTES = 1024 * 1024;
/** How long a request waits for the next server. */
const HOLD_MS = 60_000;
/** A request that so many servers died of may be the cause. */
const MAX_SERVERS = 10;
const PAUSE_MS = 50;

/** How an attempt ended: not reached, died before the answer, died during it, or answered. */
type End = 'unreached' | 'lost' | 'broken' | 'answered';

interface Body {
  bytes: Buffer;
  whole: boolean;
}

/** Announces a server soon. */
export const STARTING_HEADERS = {
  'X-Backend-State': 'starting',
  'Retry-After': '1',
  'Content-Type': 'application/json',
};
export const STARTING_BODY = JSON.stringify({
  error: {
    ...{ type: 'services', code: 'services', message: 'the server is starting' },
    remedy: 'Send the request again in a second.',
  },
});

/** 503 without a server. If it dies, repeatable requests go to the next; others break. */
export async function relayHttp(
  serverProcess: ServerProcess,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const { method = 'GET', url = '/' } = request;
  if (serverProcess.current === null && !isHeld(url)) return starting(response, request);
  const body = await bodyOf(request);
  const headers = { ...forwarded(request), [REQUEST_HEADER]: randomBytes(24).toString('base64url') };
  const until = Date.now() + HOLD_MS;
  for (let reached = 0; reached < MAX_SERVERS && !gone.signal.aborted;) {
    const server = await serverProcess.listening(until - Date.now(), gone.signal);
    if (server === null) return starting(response, request);
    const end = await attempt(server, request, { headers, body, response, signal: gone.signal });
    if (end === 'answered' || end === 'broken') return;
    if (end === 'unreached' && !body.whole) return starting(response, request);
    if (end === 'lost' && !(body.whole && isRepeatable(method, url, body.bytes))) break;
    if (end === 'lost') reached += 1;
    await sleep(PAUSE_MS);
  }
  response.destroy();
}

function starting(response: ServerResponse, request: IncomingMessage): void {
  if (response.destroyed) return;
  // After an answer to half a request, the connection must end.
  if (!request.complete) response.setHeader('Connection', 'close');
  response.writeHead(503, STARTING_HEADERS).end(STARTING_BODY);
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve) => {
    const done = (whole: boolean): void => {
      request.off('data', more).off('end', end).off('close', end);
      resolve({ bytes: Buffer.concat(chunks), whole });
    };
    const end = (): void => done(true);
    const more = (chunk: Buffer): void => {
      chunks.push(chunk);
      length += chunk.length;
      if (length <= KEPT_BYTES) return;
      request.pause();
      done(false);
    };
    // `close` without `end`: the client disconnected, which the response notices.
    request.on('data', more).on('end', end).on('close', end);
  });
}

interface Try {
  headers: OutgoingHttpHeaders;
  body: Body;
  response: ServerResponse;
  signal: AbortSignal;
}

function attempt(
  server: RunningServer,
  request: IncomingMessage,
  { headers: given, body, response, signal }: Try,
): Promise<End> {
  const { method, url: path } = request;
  return new Promise((resolve) => {
    let reached = false;
    let begun = false;
    // New connections: the server may close a kept one just as it is used. It is asked to keep it:
    // else it closes with an answer that comes before the whole body, and writing on loses that.
    const kept = { ...given, connection: 'keep-alive' };
    const options = { socketPath: server.socket, method, path, headers: kept, agent: false, signal };
    const asked = send(options);
    asked.once('socket', (socket) => socket.once('connect', () => (reached = true)));
    asked.on('error', () => {
      if (!begun) resolve(reached ? 'lost' : 'unreached');
    });
    asked.once('response', (answer) => {
      begun = true;
      const headers = endToEnd(answer.rawHeaders);
      // After an answer to half a request, the connection must end.
      if (!request.complete) headers.push('Connection', 'close');
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers);
      // A stream's client learns at once that it has begun.
      response.flushHeaders();
      pipeline(answer, response, (error) => resolve(error === undefined || error === null ? 'answered' : 'broken'));
    });
    if (body.whole) return asked.end(body.bytes);
    asked.write(body.bytes);
    pipeline(request, asked, () => undefined);
  });
}
