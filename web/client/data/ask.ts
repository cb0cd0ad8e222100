import type { Answer, ErrorDocument, Params, Query, RouteName } from '../../api/index.js';
import type { ROUTES } from '../../api/routes.js';
import { takeEarly } from './early-answers.js';
import { token } from './token.js';

type Paths = { [Name in RouteName]: (typeof ROUTES)[Name]['path'] };

/** Paths without the schemas, which stay outside; the compiler compares. */
export const PATHS = {
  batches: '/batches',
  batch: '/batches/:id',
  batchMatrix: '/batches/:id/matrix',
  batchSpend: '/batches/:id/spend',
  batchEvents: '/batches/:id/events',
  runs: '/runs',
  runFacets: '/runs/facets',
  activeRuns: '/runs/active',
  run: '/runs/:id',
  skeleton: '/runs/:id/skeleton',
  steps: '/runs/:id/steps',
  stepText: '/runs/:id/steps/:step/:text',
  prompt: '/runs/:id/steps/:step/prompt',
  evaluations: '/runs/:id/evaluations',
  calls: '/runs/:id/calls',
  runEvents: '/runs/:id/events',
  lineage: '/runs/:id/lineage',
  tree: '/runs/:id/tree',
  waiting: '/runs/:id/waiting',
  setup: '/runs/:id/setup',
  files: '/runs/:id/files',
  snapshotLink: '/runs/:id/snapshots/:step/link',
  file: '/files/:sha256',
  events: '/events',
  leaderboard: '/leaderboard',
  leaderboardCell: '/leaderboard/cell',
  comparisons: '/comparisons',
  comparison: '/comparisons/:name',
  episodes: '/episodes',
  episode: '/episodes/:id',
  policies: '/batches/:id/policies',
  groups: '/batches/:id/groups',
  integrity: '/integrity',
  integrityFlags: '/integrity/flags',
  tasks: '/tasks',
  task: '/tasks/:name',
  models: '/models',
  model: '/models/:name',
  agents: '/agents',
  agent: '/agents/:name',
  search: '/search',
  sql: '/sql',
  sqlSchema: '/sql/schema',
  pairs: '/compare/pairs',
  turn: '/runs/:id/turn',
  trend: '/trend',
  schedules: '/schedules',
  hosts: '/hosts',
  leases: '/leases',
  limits: '/limits',
  health: '/health',
  me: '/me',
  live: '/live',
} as const satisfies Partial<Paths>;
export type AskedRoute = keyof typeof PATHS;

export class AskError extends Error {
  constructor(
    /** HTTP's; 0: no answer. */
    readonly status: number,
    readonly code: string,
    message: string,
    readonly remedy: string | null,
  ) {
    super(message);
  }
}

const API = '/api/v1';

export function addressOf(path: string, params: object, query: object): string {
  const filled = path.replace(/:([A-Za-z0-9]+)/g, (_, name: string) =>
    encodeURIComponent((params as Record<string, string>)[name] ?? ''),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, unknown][])
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value])
      if (one !== undefined && one !== null) search.append(name, typeof one === 'string' ? one : JSON.stringify(one));
  const text = search.toString();
  return `${API}${filled}${text === '' ? '' : `?${text}`}`;
}

export async function send(
  url: string,
  init: RequestInit & { headers?: Record<string, string> } = {},
): Promise<Response> {
  let response: Response;
  const bearer = token();
  try {
    const early = init.method === undefined && init.headers === undefined ? takeEarly(url) : undefined;
    response = await (early ??
      fetch(url, {
        ...init,
        headers: { ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }), ...init.headers },
      }));
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new AskError(0, 'unreachable', 'the server of this page does not answer', 'is `bench serve` still running?');
  }
  if (response.ok) return response;
  const failure = (await response.json().catch(() => null)) as ErrorDocument | null;
  throw new AskError(
    response.status,
    failure?.error.code ?? 'failed',
    failure?.error.message ?? `the server returned ${response.status}`,
    failure?.error.remedy ?? null,
  );
}

export async function ask<Name extends AskedRoute>(
  name: Name,
  params: Params<Name>,
  query: Query<Name>,
  signal?: AbortSignal,
): Promise<Answer<Name>> {
  const response = await send(addressOf(PATHS[name], params, query as object), {
    ...(signal === undefined ? {} : { signal }),
  });
  return (await response.json()) as Answer<Name>;
}

export interface TextChunk {
  bytes: Uint8Array;
  /** Of the whole text. */
  total: number;
}

export async function askText(path: string, from: number, count: number, signal: AbortSignal): Promise<TextChunk> {
  const response = await send(`${API}${path}`, { signal, headers: { range: `bytes=${from}-${from + count - 1}` } });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const total = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1];
  return { bytes, total: total === undefined ? bytes.length : Number(total) };
}

export async function askBytes(path: string, signal: AbortSignal): Promise<Uint8Array> {
  return new Uint8Array(await (await send(`${API}${path}`, { signal })).arrayBuffer());
}

/** Repeated clicks have the same key, and do nothing twice. */
export async function act<Result>(path: string, body: Record<string, unknown>, key: string): Promise<Result> {
  const response = await send(`${API}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
  });
  return (await response.json()) as Result;
}
