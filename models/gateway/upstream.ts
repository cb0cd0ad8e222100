import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Sending } from '../../domain/ports/model-port.js';
import { NotConnected, UnusableResponse } from '../http-fetch.js';

const MAX_BYTES = 32 * 1024 * 1024;

export interface Upstream {
  status: number;
  headers: Headers;
  /** Throws if the connection is cut before the end. */
  text: AsyncIterable<string>;
}

/** Without redirects, reuse or compression. `sending` is called before the request is sent. */
export function post(
  url: URL,
  {
    headers,
    body,
    signal,
    sending,
  }: { headers: Record<string, string>; body: string; signal: AbortSignal; sending: Sending },
): Promise<Upstream> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const secure = url.protocol === 'https:';
    const request = (secure ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'accept-encoding': 'identity',
        'content-length': Buffer.byteLength(body),
      },
      agent: false,
      signal,
    });
    let sent = false;
    const goOut = async (): Promise<void> => {
      await sending();
      if (request.destroyed) return;
      sent = true;
      request.end(body);
    };
    request.once('socket', (socket) => {
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        goOut().catch((error: unknown) => request.destroy(error instanceof Error ? error : new Error(String(error))));
      });
    });
    request.once('error', (error) => reject(sent || signal.aborted ? error : new NotConnected(error)));
    request.once('response', (response) => {
      const status = response.statusCode ?? 0;
      if (status >= 200 && status <= 599) resolve({ status, headers: headersOf(response), text: textOf(response) });
      else request.destroy(new UnusableResponse(`the response has the status ${status}`));
    });
  });
}

async function* textOf(response: IncomingMessage): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) {
      response.destroy();
      throw new UnusableResponse(`the response is longer than ${MAX_BYTES} bytes`);
    }
    yield decoder.decode(chunk, { stream: true });
  }
}

export async function wholeText(text: AsyncIterable<string>): Promise<string> {
  let whole = '';
  for await (const piece of text) whole += piece;
  return whole;
}

function headersOf(response: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  return headers;
}
