import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { ANSWERED_HEADER, CONNECTION_HEADER, RECEIVED_HEADER, REQUEST_HEADER } from '../prefixes.js';

/** Headers of one connection, not of its content. */
const HOP_BY_HOP = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'],
]);

const OURS = new Set([CONNECTION_HEADER, RECEIVED_HEADER, ANSWERED_HEADER, REQUEST_HEADER]);

export function forwarded(request: IncomingMessage): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && !HOP_BY_HOP.has(name) && !OURS.has(name)) headers[name] = value;
  const before = request.headers['x-forwarded-for'];
  const from = request.socket.remoteAddress ?? 'unknown';
  headers['x-forwarded-for'] = before === undefined ? from : `${String(before)}, ${from}`;
  headers['x-forwarded-host'] ??= request.headers.host ?? '';
  headers['x-forwarded-proto'] ??= 'http';
  return headers;
}

/** WebSocket headers belong to each connection. */
export function forwardedUpgrade(request: IncomingMessage): Record<string, string> {
  const headers = Object.entries(forwarded(request)).filter(([name]) => !name.startsWith('sec-websocket-'));
  return Object.fromEntries(headers.map(([name, value]) => [name, String(value)]));
}

/** The server's headers for the client, unchanged: names and values in turn. */
export function endToEnd(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = '', value = ''] = raw.slice(at, at + 2);
    if (!HOP_BY_HOP.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}
