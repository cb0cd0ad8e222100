import { BenchError } from '../domain/errors.js';
import type { ServiceEndpoints } from '../domain/home/services.js';
import { type EnsureOptions, ensureServices } from './ensure-services.js';

/** How long commands that only read the database wait for the other services. */
const OTHERS_MS = 2000;

export interface DatabaseEndpoint {
  databaseUrl: string;
  endpoints: ServiceEndpoints | null;
}

/** Waits for the database and for services that it starts, but not for others that are stopped. */
export async function ensureDatabase(options: EnsureOptions): Promise<DatabaseEndpoint> {
  const leave = new AbortController();
  let answers: (database: { databaseUrl: string; awaitOthers: boolean }) => void = () => undefined;
  const database = new Promise<Parameters<typeof answers>[0]>((resolve) => (answers = resolve));
  const say = (line: string): void => void (leave.signal.aborted || options.onProgress?.(line));
  const all = ensureServices({ ...options, onProgress: say, signal: leave.signal, onDatabase: answers });
  const endpoints = all.then((known) => ({ databaseUrl: known.databaseUrl, endpoints: known }));
  endpoints.catch(() => undefined);
  const first = await Promise.race([database, endpoints]);
  if ('endpoints' in first) return first;
  if (first.awaitOthers) return endpoints;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('they do not answer now'), OTHERS_MS);
  });
  const failed = endpoints.catch((error: unknown) => {
    if (error instanceof BenchError && error.type === 'services') return error.message.split('\n')[0] ?? '';
    throw error;
  });
  try {
    const outcome = await Promise.race([failed, late]);
    if (typeof outcome !== 'string') return outcome;
    say(`not all services are up (${outcome}); what PostgreSQL has is shown`);
    return { databaseUrl: first.databaseUrl, endpoints: null };
  } finally {
    clearTimeout(timer);
    leave.abort();
  }
}
