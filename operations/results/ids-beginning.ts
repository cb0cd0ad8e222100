import { embeddedDatabaseUrl, servicesStatus } from '../../services/index.js';
import type { BenchSettings } from '../settings.js';

export interface KnownId {
  id: string;
  /** A batch's name, or a run's model and task. */
  about: string;
}

const MOST = 200;

const QUERIES = {
  run: (prefix: string) =>
    `select run_id, model_name || ' ' || task_id from runs where starts_with(run_id, '${prefix}') order by created_at desc limit ${MOST}`,
  batch: (prefix: string) =>
    `select id, about
     from (select batch_id, name, created_at from batches) batch,
       lateral (values (name, batch_id), (batch_id, coalesce(name, ''))) as known (id, about)
     where starts_with(id, '${prefix}') order by created_at desc limit ${MOST}`,
  comparison: (prefix: string) =>
    `select name, '' from saved_comparisons where starts_with(name, '${prefix}') order by name limit ${MOST}`,
};

/**
 * Runs, batches or saved comparisons whose id, or a batch's name, has this prefix: at most 200,
 * newest first. Starts nothing: none if the home is down or the database exceeds `timeoutMs`.
 */
export async function idsBeginning(
  { home, databaseUrl }: Pick<BenchSettings, 'home' | 'databaseUrl'>,
  what: keyof typeof QUERIES,
  prefix: string,
  timeoutMs: number,
): Promise<KnownId[]> {
  // No id or name contains other characters.
  if (!/^[\w.-]*$/.test(prefix)) return [];
  const url = databaseUrl ?? (servicesStatus(home).running ? embeddedDatabaseUrl(home) : null);
  if (url === null) return [];
  const { runReadOnlyQuery } = await import('../../db/read-only-query.js');
  const query = runReadOnlyQuery(url, QUERIES[what](prefix), { timeoutMs }).then(({ rows }) =>
    rows.map(([id, about]) => ({ id: String(id), about: String(about) })),
  );
  query.catch(() => undefined);
  const late = new Promise<KnownId[]>((resolve) => setTimeout(() => resolve([]), timeoutMs).unref());
  return Promise.race([query, late]);
}
