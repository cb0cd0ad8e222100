import {
  Agent as HttpAgent,
  type AgentOptions,
  type ClientRequest,
  request as httpRequest,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { hostOf, portOf, proxyFor } from './proxies.js';

/** The proxy did not connect us: nothing reached the other side. */
class ProxyRefused extends Error {
  override name = 'ProxyRefused';
  readonly code: string;
  constructor(status: number) {
    super(`the proxy answered CONNECT with status ${status}`);
    this.code = status === 407 ? 'PROXY_NEEDS_LOGIN' : 'PROXY_REFUSED';
  }
}

const CONNECT_MS = 60_000;

type Connected = (error: Error | null, socket?: Duplex) => void;
/** What Node.js gives an agent; its types leave out half. */
interface Wanted extends RequestOptions {
  host: string;
  port: number;
  lookup?: LookupFunction;
  tunnel?: URL;
  secureProxy?: boolean;
}
interface Inner {
  addRequest(request: ClientRequest, options: Wanted): void;
  createConnection(options: Wanted, connected?: Connected): Duplex;
}
const innerOf = (agent: typeof HttpAgent): Inner => agent.prototype as unknown as Inner;

const bracketed = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);
const originOf = (scheme: 'http' | 'https', { host, port }: Wanted): URL =>
  new URL(`${scheme}://${bracketed(host)}:${port}`);

const loginOf = ({ username, password }: URL): Record<string, string> => {
  if (username === '' && password === '') return {};
  const words = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(words).toString('base64')}` };
};

/** Opens a tunnel to `host`, which the proxy resolves, unless `lookup` does. */
function tunnel(proxy: URL, { host, port, lookup }: Wanted, connected: Connected): void {
  const through = (address: string): void => {
    const authority = `${bracketed(address)}:${port}`;
    const request = (proxy.protocol === 'https:' ? httpsRequest : httpRequest)({
      ...{ method: 'CONNECT', host: hostOf(proxy), port: portOf(proxy), path: authority, agent: false },
      ...{ headers: { host: authority, ...loginOf(proxy) }, timeout: CONNECT_MS },
    });
    let ended = false;
    const finish: Connected = (error, socket) => {
      if (ended) return void socket?.destroy();
      ended = true;
      connected(error, socket);
    };
    request.once('connect', ({ statusCode = 0 }, socket, head) => {
      if (statusCode < 200 || statusCode > 299) {
        socket.destroy();
        return finish(new ProxyRefused(statusCode));
      }
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      finish(null, socket);
    });
    request.once('timeout', () =>
      request.destroy(Object.assign(new Error('the proxy does not answer'), { code: 'PROXY_SILENT' })),
    );
    request.once('error', (error) => finish(error));
    request.end();
  };
  if (lookup === undefined || isIP(host) !== 0) return through(host);
  lookup(host, { all: true }, (error, found) => {
    if (error !== null) return connected(error);
    const [first] = typeof found === 'string' ? [{ address: found }] : found;
    if (first === undefined) return connected(new Error(`${host} has no address`));
    through(first.address);
  });
}

/**
 * Connections by `http:`, through the proxy where there is one: it gets the whole URL. With a
 * `lookup`, which the proxy would bypass, it gets the address in a tunnel.
 */
class ProxyHttpAgent extends HttpAgent {
  addRequest(request: ClientRequest, options: Wanted): void {
    const origin = originOf('http', options);
    const proxy = options.socketPath == null ? proxyFor(origin) : null;
    if (proxy === null) return innerOf(HttpAgent).addRequest.call(this, request, options);
    if (options.lookup !== undefined)
      return innerOf(HttpAgent).addRequest.call(this, request, { ...options, tunnel: proxy });
    request.path = `${origin.origin}${request.path}`;
    for (const [name, value] of Object.entries(loginOf(proxy))) request.setHeader(name, value);
    const secureProxy = proxy.protocol === 'https:';
    innerOf(HttpAgent).addRequest.call(this, request, {
      ...options,
      ...{ host: hostOf(proxy), port: portOf(proxy), secureProxy },
    });
  }

  // @ts-expect-error -- the types know no callback
  override createConnection(options: Wanted, connected: Connected): Duplex | undefined {
    if (options.tunnel !== undefined) return void tunnel(options.tunnel, options, connected);
    const agent = options.secureProxy === true ? HttpsAgent : HttpAgent;
    const secured = options.secureProxy === true ? { ...options, servername: options.host } : options;
    return innerOf(agent).createConnection.call(this, secured, connected);
  }
}

/** Connections by `https:`, in a tunnel through the proxy where there is one. */
class ProxyHttpsAgent extends HttpsAgent {
  // @ts-expect-error -- the types know no callback
  override createConnection(options: Wanted, connected: Connected): Duplex | undefined {
    const proxy = proxyFor(originOf('https', options));
    if (proxy === null) return innerOf(HttpsAgent).createConnection.call(this, options, connected);
    tunnel(proxy, options, (error, socket) => {
      if (error !== null || socket === undefined) return connected(error ?? new Error('no tunnel'));
      const { lookup: _, ...rest } = options;
      connected(null, innerOf(HttpsAgent).createConnection.call(this, { ...rest, socket } as Wanted));
    });
  }
}

export const proxyAgents = (options: AgentOptions): { 'http:': HttpAgent; 'https:': HttpsAgent } => ({
  'http:': new ProxyHttpAgent(options),
  'https:': new ProxyHttpsAgent(options),
});
