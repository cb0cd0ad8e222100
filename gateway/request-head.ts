import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';

const QUERIES = ['beta', 'limit', 'alt'];

export interface Head {
  /** Without prefix and query. */
  path: string;
  query: URLSearchParams;
  /** From all places where clients put a token. */
  tokens: string[];
  userAgent: string;
  /** Which of the program's agents calls; empty: its only one. */
  agent: string;
}

/** A request's head, or an evident problem. Paths may have one prefix. */
export function readHead(request: IncomingMessage): Head | { status: number; problem: string } {
  const { url = '', headers, rawHeaders } = request;
  if (!url.startsWith('/')) return { status: 400, problem: 'this is no proxy: ask for a path' };
  const [raw = '', query = ''] = url.split('?', 2);
  if (/\.\.|\/\/|%2f|%5c|%2e|\\|\0/i.test(raw)) return { status: 400, problem: 'the path is not plain' };
  const queries = new URLSearchParams(query);
  for (const name of queries.keys())
    if (!QUERIES.includes(name)) return { status: 400, problem: `unknown query ${JSON.stringify(name.slice(0, 40))}` };
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    return { status: 415, problem: 'the body must not be compressed' };
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  if (names.includes('content-length') && names.includes('transfer-encoding'))
    return { status: 400, problem: 'Content-Length and Transfer-Encoding exclude each other' };
  const bearer = headers.authorization === undefined ? [] : [headers.authorization.replace(/^Bearer /i, '')];
  const keys = [headers['x-api-key'], headers['x-goog-api-key']];
  return {
    path: /(\/v1(?:beta)?\/.*)$/.exec(raw)?.[1] ?? '/',
    query: queries,
    tokens: [...bearer, ...keys.filter((key) => typeof key === 'string')],
    userAgent: headers['user-agent'] ?? '',
    agent: single(headers['x-claude-code-agent-id']).slice(0, 200),
  };
}

export const single = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? value.join(',') : (value ?? '');

/** The body; or that it is too long, or that `take` has no room. Reads to the end, see readOff. */
export async function readBody(
  request: IncomingMessage,
  { most, hasRoom, take }: { most: number; hasRoom: (bytes: number) => boolean; take: (bytes: number) => boolean },
): Promise<Buffer | 'too_long' | 'no_room'> {
  const declared = Number(request.headers['content-length'] ?? 0);
  let problem: 'too_long' | 'no_room' | null = declared > most ? 'too_long' : hasRoom(declared) ? null : 'no_room';
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (problem === null && bytes > most) problem = 'too_long';
    if (problem === null && !take(chunk.length)) problem = 'no_room';
    if (problem === null) chunks.push(chunk);
    else chunks.length = 0;
  }
  return problem ?? Buffer.concat(chunks);
}

/** Closing with unread bytes would reset the connection, and lose the answer. */
export async function readOff(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  request.resume();
  // A lost client needs no answer.
  await finished(request).catch(() => undefined);
}

/** Features that stay within a call; others make the provider fetch, run or store things. */
const BETAS =
  /^(?:claude-code-|interleaved-thinking-|context-management-|fine-grained-tool-streaming-|prompt-caching-|prompt-caching-scope-|context-1m-|effort-|token-counting-|token-efficient-tools-|output-128k-|structured-outputs-|adaptive-thinking-|redact-thinking-)[a-z0-9-]{1,40}$/;

export function headersOnward({ headers }: IncomingMessage): Record<string, string> {
  const betas = single(headers['anthropic-beta'])
    .split(',')
    .map((beta) => beta.trim())
    .filter((beta) => BETAS.test(beta));
  const lite = single(headers['x-openai-internal-codex-responses-lite']);
  return {
    ...(betas.length === 0 ? {} : { 'anthropic-beta': betas.join(',') }),
    ...(lite === 'true' ? { 'x-openai-internal-codex-responses-lite': lite } : {}),
  };
}
