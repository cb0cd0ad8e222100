import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { proxyAgents } from './proxy-agents.js';

const MOST_REDIRECTS = 10;
/** Connections are not kept. */
const agents = proxyAgents({});

export interface UrlRequest {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  signal?: AbortSignal;
  /** Default: `follow`, which is for requests without a body. */
  redirect?: 'follow' | 'manual';
}

/**
 * Through the proxy of the address, if there is one: the built-in `fetch` knows none. Resolves with
 * the head of the answer; its body must be read or destroyed.
 */
export async function openUrl(address: string | URL, asked: UrlRequest = {}): Promise<IncomingMessage> {
  let url = new URL(address);
  for (let redirects = 0; ; redirects += 1) {
    const response = await send(url, asked);
    const { statusCode = 0, headers } = response;
    const moved = [301, 302, 303, 307, 308].includes(statusCode) && headers.location !== undefined;
    if (asked.redirect === 'manual' || !moved) return response;
    response.destroy();
    if (redirects === MOST_REDIRECTS) throw new Error(`more than ${MOST_REDIRECTS} redirects`);
    const next = new URL(headers.location ?? '', url);
    if (url.protocol === 'https:' && next.protocol !== 'https:') throw new Error('a redirect away from https');
    url = next;
  }
}

function send(url: URL, { method = 'GET', headers = {}, body, signal }: UrlRequest): Promise<IncomingMessage> {
  signal?.throwIfAborted();
  const secure = url.protocol === 'https:';
  if (!secure && url.protocol !== 'http:') return Promise.reject(new Error(`no HTTP address: ${url.protocol}`));
  return new Promise((resolve, reject) => {
    const request = (secure ? httpsRequest : httpRequest)(url, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
      agent: agents[secure ? 'https:' : 'http:'],
      ...(signal && { signal }),
    });
    // An abort has its reason as fetch has it.
    request.once('error', (error) => reject(signal?.aborted === true ? (signal.reason as Error) : error));
    request.once('response', resolve);
    request.end(body);
  });
}
