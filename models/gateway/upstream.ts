import type { IncomingMessage } from 'node:http';
import type { Sending } from '../../domain/ports/model-port.js';
import { sendRequest } from '../connection.js';
import { decodedBody, UnusableResponse } from '../decoded-body.js';

const MAX_BYTES = 32 * 1024 * 1024;

export interface Upstream {
  status: number;
  headers: Headers;
  /** Throws if the connection is cut before the end. */
  text: AsyncIterable<string>;
}

/** Posts JSON and gets the answer as it comes, unpacked if need be. `sending`: see sendRequest. */
export async function post(
  url: URL,
  {
    headers,
    body,
    signal,
    sending,
  }: { headers: Record<string, string>; body: string; signal: AbortSignal; sending: Sending },
): Promise<Upstream> {
  const plain = { ...headers, 'content-type': 'application/json', 'accept-encoding': 'identity' };
  const response = await sendRequest(url, { method: 'POST', headers: plain, body, signal, sending });
  const status = response.statusCode ?? 0;
  if (status >= 200 && status <= 599) return { status, headers: headersOf(response), text: textOf(response) };
  response.destroy();
  throw new UnusableResponse(`the response has the status ${status}`);
}

async function* textOf(response: IncomingMessage): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of decodedBody(response, MAX_BYTES)) yield decoder.decode(chunk, { stream: true });
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
