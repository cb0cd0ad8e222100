import { randomBytes } from 'node:crypto';
import { type IncomingMessage, type OutgoingHttpHeaders, request as send, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningServer, ServerProcess } from './server-process.js';
import { REQUEST_HEADER } from '../prefixes.js';
import { endToEnd, forwarded } from './headers.js';
import { isHeld, isRepeatable } from './repeatable.js';

/** Larger bodies flow through, and are not sent twice. */
const KEPT_BYTES = 1024 * 1024;
/** A request whose server died waits so long for the next. */
const HOLD_MS = 60_000;
/** A request that reached so many servers which died may be why. */
const MAX_SERVERS = 10;
const PAUSE_MS = 50;

/** How a try ended: the server was not reached, died before it answered, died in its answer, or has answered. */
type End = 'unreached' | 'lost' | 'broken' | 'answered';

interface Body {
  bytes: Buffer;
  /** Nothing follows. */
  whole: boolean;
}

/** Tells a client that the server will be there soon. */
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

/**
 * Passes a request on to the server, and its answer back as it comes. While no server listens the answer is 503. When the server dies before its
 * answer, what may be repeated goes to the next one; otherwise, and within an answer, the client's connection breaks.
 */
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
  // What is left of its body is of no use; an answer to half a request ends its connection.
  if (!request.complete) response.setHeader('Connection', 'close');
  response.writeHead(503, STARTING_HEADERS).end(STARTING_BODY);
}

/** The whole body, or as much of it as is kept; the rest is still to be read. */
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
    // `close` without `end`: its client is gone, which the response knows.
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
  { headers, body, response, signal }: Try,
): Promise<End> {
  const { method, url: path } = request;
  return new Promise((resolve) => {
    let reached = false;
    let begun = false;
    // A connection for each: a kept one may be closed by the server in the moment that it is used.
    const options = { socketPath: server.socket, method, path, headers, agent: false, signal };
    const asked = send(options);
    asked.once('socket', (socket) => socket.once('connect', () => (reached = true)));
    asked.on('error', () => {
      if (!begun) resolve(reached ? 'lost' : 'unreached');
    });
    asked.once('response', (answer) => {
      begun = true;
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders));
      // A stream's client learns at once that it has begun.
      response.flushHeaders();
      pipeline(answer, response, (error) => resolve(error === undefined || error === null ? 'answered' : 'broken'));
    });
    if (body.whole) return asked.end(body.bytes);
    asked.write(body.bytes);
    pipeline(request, asked, () => undefined);
  });
}
