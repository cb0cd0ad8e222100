// On node:http, not Hono: a call takes its slot before its body is read, a refused body is read to
// its end so that the client gets the answer, and a socket's end shows a lost client. Errors are
// the providers' own.
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { join } from 'node:path';
import { RefusedRow } from '../domain/errors.js';
import { bodyOf, mostBodyBytes } from '../domain/gateway/body-text.js';
import { bySlices } from '../domain/gateway/slices.js';
import type { Wire } from '../domain/gateway/wire.js';
import { type Answer, later, refusal, wrongToken } from '../domain/gateway/refusals.js';
import { wireAt, wireOf } from '../domain/gateway/wires.js';
import { GATEWAY_PORT } from '../domain/agent/program.js';
import { newCallKey } from '../domain/ids.js';
import { comesFromOtherSite, namesOtherHost, ownSite } from '../domain/home/own-site.js';
import { type Asked, answerCall, namesOf, NOT_RECORDED } from './answer-call.js';
import { inTurn } from './bodies.js';
import { prepared } from './prepared-request.js';
import { Client } from './reply.js';
import { headersOnward, readBody, readHead, readOff, single } from './request-head.js';
import type { GatewaySession } from './session.js';
import { isToken } from './token.js';

const COUNT_TOKENS = '/v1/messages/count_tokens';
const MAX_HEADER_BYTES = 16 * 1024;
/** Programs use this port of their container; clients of the socket none. No page is a client. */
const SITE = { ...ownSite({ host: '127.0.0.1', port: GATEWAY_PORT }, [], ['localhost']), origins: [] };

/** The gateway of one run, on its container's socket. `close` lets calls in flight end. */
export async function serveGateway(session: GatewaySession, folder: string): Promise<{ close: () => void }> {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 60_000 }, (request, response) => {
    const client = new Client(response, newCallKey());
    answer(session, request, client).catch((error: unknown) => {
      const wire = wireOf(session.parts.program.client);
      if (error instanceof RefusedRow) return client.answer(refusal(wire, 400, NOT_RECORDED));
      session.lastFault = error instanceof Error ? error : new Error(String(error));
      client.answer(later(wire, 503, 'the gateway cannot answer now', 5));
    });
  });
  // Clients that prefer WebSockets retry without.
  server.on('upgrade', (_request, socket) => {
    socket.end('HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  });
  server.on('connect', (_request, socket) => {
    socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  });
  await listen(server, folder);
  return {
    close() {
      server.close();
      server.closeIdleConnections();
    },
  };
}

async function listen(server: Server, folder: string): Promise<void> {
  rmSync(join(folder, 'sock'), { force: true });
  // Socket paths above 107 bytes are cut silently; the path through a descriptor is short.
  const directory = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(`/proc/self/fd/${directory}/sock`, resolve);
    });
  } finally {
    closeSync(directory);
  }
}

async function answer(session: GatewaySession, request: IncomingMessage, client: Client): Promise<void> {
  const own = wireOf(session.parts.program.client);
  const refuse = async (answer: Answer): Promise<void> => {
    await readOff(request);
    client.answer(answer);
  };
  const header = (name: string): string => single(request.headers[name]);
  if (namesOtherHost(header, SITE) || comesFromOtherSite((name) => header(name) || undefined, SITE))
    return refuse(refusal(own, 403, 'the gateway takes no requests of web pages, or for another host'));
  const head = readHead(request);
  if ('problem' in head) return refuse(refusal(own, head.status, head.problem));
  const { method = '' } = request;
  if (method === 'HEAD' && head.path === '/') return client.answer({ status: 200, body: {} });
  const wire = wireAt(head.path) ?? own;
  if (!isToken(head.tokens, session.parts.token)) return refuse(wrongToken(wire));
  if (method === 'GET' && head.path === '/v1/models') return client.answer(models(session, wire));
  const isCall = wireAt(head.path) !== undefined;
  if (method !== 'POST' || (!isCall && head.path !== COUNT_TOKENS))
    return refuse(refusal(wire, 404, `the gateway has no ${method} ${head.path.slice(0, 100)}`));
  if (wire.client !== own.client && !sameProvider(wire, own))
    return refuse(refusal(wire, 404, `this run's model is asked at ${own.path}`, 'model_not_found'));
  const place = session.admit();
  if (place === null) return refuse(later(wire, 429, 'too many requests at once', 1));
  try {
    const { contextWindow } = session.parts.run.model.config!;
    const most = mostBodyBytes(contextWindow);
    const bytes = await readBody(request, { ...place, most });
    if (bytes === 'too_long') return client.answer(refusal(wire, 413, `the request is longer than ${most} bytes`));
    if (bytes === 'no_room') return client.answer(later(wire, 429, 'too many long requests at once', 2));
    const body = await inTurn(bytes.length, () => bySlices(bodyOf(bytes)));
    if (typeof body === 'string') return client.answer(refusal(wire, 400, body));
    const address = wire.addressed?.(head.path, head.query) ?? null;
    if (address !== null && 'refused' in address) return client.answer(refusal(wire, 400, address.refused));
    const asked = { wire, head, body: { ...body, ...address }, bytes: bytes.length, request };
    return await (isCall ? answerCall(session, asked, client) : countTokens(session, asked, client));
  } finally {
    place.leave();
  }
}

const sameProvider = (one: Wire, other: Wire): boolean =>
  one.client.startsWith('openai-') && other.client.startsWith('openai-');

function models(session: GatewaySession, wire: Wire) {
  const [id] = namesOf(session);
  const data = [{ id, type: 'model', object: 'model', display_name: id, created: 0, owned_by: 'bench' }];
  return {
    status: 200,
    body: wire.client === 'anthropic' ? { data, has_more: false, first_id: id, last_id: id } : { object: 'list', data },
  };
}

/** Free at the provider, so only the rate limits it; recorded like calls. */
async function countTokens(
  session: GatewaySession,
  { wire, head, body, bytes, request }: Asked,
  client: Client,
): Promise<void> {
  const leave = session.enter();
  if (leave === null) return client.answer(later(wire, 429, 'too many calls at once', 1));
  try {
    const without = ['max_tokens', 'metadata', 'stream'];
    const ready = await prepared(session, { wire, head, body, bytes, path: COUNT_TOKENS, without });
    if ('status' in ready) return client.answer(ready);
    const { run, epoch, store, calls } = session.parts;
    const { call, split } = ready;
    const known = await store.knownCount(run.runId, epoch, call);
    if (known !== null) return client.answer({ status: 200, body: known });
    const found = await calls.countTokens(ready.text, headersOnward(request));
    if (found.status === 200) {
      const row = { ...call, request: session.newParts(split), answer: found.body };
      await store.keepCount(run.runId, epoch, row);
      session.keep(split);
    }
    const passes = found.status === 200 || found.status === 400 || found.status === 413;
    client.answer(passes ? found : later(wire, 503, 'the provider does not count now', 5));
  } finally {
    leave();
  }
}
