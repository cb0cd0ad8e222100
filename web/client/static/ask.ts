import type { Answer, Params, Query } from '../../api/index.js';
import { entryOf, packOf } from '../../../domain/static-form/packs.js';
import { countFacets, pageOfRuns } from '../../../domain/static-form/select-runs.js';
import { addressOf, AskError, type AskedRoute, PATHS, type TextChunk } from '../data/ask.js';
import { exportIndex, packNamed } from './packs.js';

// Replaces data/ask.ts in an export: stored answers of routes lie next to the page.

export { addressOf, AskError, PATHS };
export type { AskedRoute, TextChunk };

const notThere = (what: string): AskError =>
  new AskError(
    404,
    'not_found',
    `${what} is not in this export`,
    '`bench serve` shows it, of the home that it is from.',
  );

async function stored(route: string, params: object, query: object): Promise<unknown> {
  const [values, asked] = [params as Record<string, unknown>, query as Record<string, unknown>];
  const pack = await packNamed(packOf(route, values, asked));
  return pack?.[entryOf(route, values, asked)];
}

/** One answer has all rows, which are filtered here. */
const all = async <Name extends 'runs' | 'batches'>(route: Name): Promise<Answer<Name>> =>
  (await stored(route, {}, {})) as Answer<Name>;

/** From a short form. */
async function wholeId(kind: 'run' | 'batch', given: string): Promise<string> {
  const { packs } = await exportIndex();
  if (packs[`${kind} ${given}`] !== undefined) return given;
  const ids = Object.keys(packs).flatMap((name) => new RegExp(`^${kind} (\\S+)$`).exec(name)?.[1] ?? []);
  const found = ids.filter((id) => id.includes(given));
  if (found.length === 1) return found[0]!;
  if (kind === 'batch') {
    const named = (await all('batches')).batches.find(({ name }) => name === given);
    if (named !== undefined) return named.batchId;
  }
  throw notThere(`${kind} ${given}`);
}

async function answer(name: AskedRoute, given: object, query: object): Promise<unknown> {
  const path = PATHS[name];
  const params = { ...given } as Record<string, string>;
  if (/^\/(run|batche)s\/:id/.test(path))
    params['id'] = await wholeId(path.startsWith('/runs') ? 'run' : 'batch', params['id'] ?? '');
  const asked = query as Record<string, unknown>;
  switch (name) {
    case 'me': {
      const { version } = await exportIndex();
      return { name: 'export', role: 'viewer', expiresAt: null, readOnly: true, version };
    }
    case 'health':
      return { status: 'ok', version: (await exportIndex()).version, lostSince: null };
    case 'runs':
      return pageOfRuns((await all('runs')).runs, asked);
    case 'runFacets':
      return countFacets((await all('runs')).runs, asked);
    case 'batches': {
      const { status, origin, text } = asked as Query<'batches'>;
      const { batches } = await all('batches');
      const chosen = batches.filter(
        (batch) =>
          (status?.includes(batch.status) ?? true) &&
          (origin?.includes(batch.origin) ?? true) &&
          `${batch.name ?? ''}\n${batch.batchId}`.toLowerCase().includes((text ?? '').toLowerCase()),
      );
      return { batches: chosen, total: chosen.length, next: null };
    }
    case 'leaderboard':
      return stored(name, {}, Object.keys(asked).length === 0 ? ((await exportIndex()).leaderboard ?? {}) : asked);
    case 'leaderboardCell': {
      // Stored by rows: a cell has some of its row's runs.
      const { task, ...row } = asked;
      const ofAll = Object.keys(row).every((key) => ['model', 'kind', 'isolation'].includes(key));
      const whole = ofAll ? { ...(await exportIndex()).leaderboard, ...row } : row;
      const found = (await stored(name, {}, whole)) as Answer<'leaderboardCell'> | undefined;
      return found === undefined
        ? undefined
        : { runs: found.runs.filter((run) => task === undefined || run.task === task) };
    }
    case 'runEvents':
    case 'batchEvents': {
      const found = (await stored(name, params, asked)) as Answer<'runEvents'> | undefined;
      const kinds = (asked as Query<'runEvents'>).kind;
      if (found === undefined || kinds === undefined) return found;
      return { ...found, events: found.events.filter(({ kind }) => (kinds as readonly string[]).includes(kind)) };
    }
    default:
      return stored(name, params, asked);
  }
}

const WORDS: Partial<Record<AskedRoute, string>> = {
  prompt: 'The prompt of a step',
  leaderboard: 'A leaderboard with these options',
  leaderboardCell: 'What is behind this figure',
};

export async function ask<Name extends AskedRoute>(
  name: Name,
  params: Params<Name>,
  query: Query<Name>,
  signal?: AbortSignal,
): Promise<Answer<Name>> {
  const found = await answer(name, params, query as object);
  signal?.throwIfAborted();
  if (found === undefined) throw notThere(WORDS[name] ?? 'This');
  return found as Answer<Name>;
}

export async function askText(path: string, from: number, count: number, signal: AbortSignal): Promise<TextChunk> {
  const [, run, step, text] = /^\/runs\/([^/]+)\/steps\/(\d+)\/(\w+)$/.exec(path) ?? [];
  const found = await stored('stepText', { id: decodeURIComponent(run ?? ''), step, text }, {});
  signal.throwIfAborted();
  if (typeof found !== 'string') throw notThere('The whole text');
  const bytes = new TextEncoder().encode(found);
  return { bytes: bytes.subarray(from, from + count), total: bytes.length };
}

export async function askBytes(path: string, signal: AbortSignal): Promise<Uint8Array> {
  const found = await stored('file', { sha256: path.split('/').at(-1) }, {});
  signal.throwIfAborted();
  if (typeof found !== 'string') throw notThere('This file');
  return Uint8Array.from(atob(found), (char) => char.charCodeAt(0));
}

export const send = (): Promise<Response> => Promise.reject(notThere('An action'));
export const act = <Result>(): Promise<Result> => Promise.reject(notThere('An action'));
