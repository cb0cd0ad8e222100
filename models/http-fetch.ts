import type { IncomingMessage } from 'node:http';
import type { Sending } from '../domain/ports/model-port.js';
import { sendRequest } from './connection.js';
import { decodedBody, UnusableResponse } from './decoded-body.js';
import { errorAnswer, isPage } from './error-answer.js';
import { publicLookup, refusePrivateHost } from './public-address.js';

const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** An HTML page with a success status is not a provider's, so nothing is billed. */
export class HtmlAnswer extends Error {
  override name = 'HtmlAnswer';
}

/**
 * The `fetch` of the provider SDKs. The built-in one stops after five minutes, and follows
 * redirects with the key. This one waits as long as its signal allows, and reads the body before it
 * returns, so that a cut connection always fails the call. Throws ErrorAnswer, since the SDKs drop
 * error bodies of other dialects than theirs. `sending`: see ModelPort. `publicOnly`: throws
 * PrivateAddress before connecting.
 */
export async function httpFetch(
  input: string | URL | Request,
  init: RequestInit = {},
  { sending, publicOnly = false }: { sending?: Sending | undefined; publicOnly?: boolean | undefined } = {},
): Promise<Response> {
  const url = new URL(input instanceof Request ? input.url : input);
  if (publicOnly) refusePrivateHost(url);
  const { body } = init;
  if (body !== undefined && body !== null && typeof body !== 'string')
    throw new TypeError('a request to a provider must be text');
  const response = await sendRequest(url, {
    method: init.method ?? 'GET',
    headers: Object.fromEntries(new Headers(init.headers)),
    body: body ?? undefined,
    signal: init.signal ?? undefined,
    sending,
    ...(publicOnly && { lookup: publicLookup() }),
  });
  return asResponse(response, await readBody(response));
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  // A connection that is cut before the body's end throws here.
  for await (const chunk of decodedBody(response, MAX_BODY_BYTES)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function asResponse(response: IncomingMessage, bytes: Buffer): Response {
  const status = response.statusCode ?? 0;
  if (status < 200 || status > 599) throw new UnusableResponse(`the response has the status ${status}`);
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) {
    // The body is unpacked.
    if (name === 'content-encoding' || name === 'content-length') continue;
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  if (status >= 400) throw errorAnswer(status, headers, bytes.toString('utf8'));
  if (status < 300 && isPage(headers, bytes.subarray(0, 200).toString('utf8')))
    throw new HtmlAnswer('the response is an HTML page');
  const bodiless = status === 204 || status === 205 || status === 304;
  return new Response(bodiless ? null : new Uint8Array(bytes), { status, headers });
}
