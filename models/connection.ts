import { type Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Sending } from '../domain/ports/model-port.js';
import { proxyAgents } from '../transport/proxy-agents.js';
import { PrivateAddress } from './public-address.js';

/**
 * Common servers close idle connections after five seconds. A close during our write looks like a
 * cut call, which may be billed.
 */
const IDLE_MS = 2_000;
const kept = { keepAlive: true, timeout: IDLE_MS, scheduling: 'lifo' } as const;
const agents = proxyAgents(kept);
const idleSince = new WeakMap<Duplex, number>();
for (const agent of Object.values(agents)) agent.on('free', (socket: Duplex) => idleSince.set(socket, Date.now()));

/** By the clock: the timers of a frozen or starved process are late. */
function dropStale({ freeSockets }: HttpAgent): void {
  for (const sockets of Object.values(freeSockets))
    for (const socket of sockets ?? [])
      if (Math.abs(Date.now() - (idleSince.get(socket) ?? 0)) > IDLE_MS) socket.destroy();
}

/** Nothing was sent. No system codes in the text: an SDK takes TIMEDOUT for its own limit. */
export class NotConnected extends Error {
  override name = 'NotConnected';
  readonly code: string | undefined;
  constructor(cause: Error) {
    super('no connection was made');
    this.code = (cause as { code?: string }).code;
  }
}

export interface ProviderRequest {
  method: string;
  headers: Record<string, string>;
  body?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Called once there is a connection, before anything of the request goes out. */
  sending?: Sending | undefined;
  /** Resolves the host; its connection is not kept. */
  lookup?: RequestOptions['lookup'];
}

/**
 * Sends a request once, without following redirects. Connections are kept for the next call.
 * Resolves with the head of the answer. Throws NotConnected if nothing was sent. Events show it:
 * EHOSTUNREACH and ETIMEDOUT may also come after the request was sent.
 */
export function sendRequest(
  url: URL,
  { method, headers, body, signal, sending, lookup }: ProviderRequest,
): Promise<IncomingMessage> {
  signal?.throwIfAborted();
  const secure = url.protocol === 'https:';
  const agent = agents[secure ? 'https:' : 'http:'];
  dropStale(agent);
  return new Promise((resolve, reject) => {
    const request = (secure ? httpsRequest : httpRequest)(url, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
      ...(lookup === undefined ? { agent } : { agent: proxyAgents({})[secure ? 'https:' : 'http:'], lookup }),
      ...(signal && { signal }),
    });
    let sent = false;
    const goOut = async (): Promise<void> => {
      await sending?.();
      if (request.destroyed) return;
      sent = true;
      request.end(body);
    };
    const begin = (): void =>
      void goOut().catch((error: unknown) =>
        request.destroy(error instanceof Error ? error : new Error(String(error))),
      );
    request.once('socket', (socket) => {
      if (request.reusedSocket || (!secure && !socket.connecting)) begin();
      // Nothing is written before the connection exists; a proxy's tunnel exists already.
      else socket.once(secure ? 'secureConnect' : 'connect', begin);
    });
    request.once('error', (error) =>
      reject(error instanceof PrivateAddress || sent || signal?.aborted === true ? error : new NotConnected(error)),
    );
    request.once('response', resolve);
  });
}
