import type { Queries } from '../../db/index.js';
import { embeddedDatabaseUrl, servicesStatus } from '../../services/index.js';
import type { Bench } from '../bench.js';

export type Hosts = Awaited<ReturnType<Queries['hosts']>>;

/** For a dry run, which starts nothing: null, and said so, where no database answers. */
export async function hostsIfKnown(bench: Bench): Promise<Hosts | null> {
  const { settings } = bench;
  const url =
    settings.databaseUrl ?? (servicesStatus(settings.home).running ? embeddedDatabaseUrl(settings.home) : null);
  if (url !== null) {
    const { openDatabase } = await import('../../db/index.js');
    const database = openDatabase(url, { max: 1 });
    try {
      return await database.queries.hosts();
    } catch {
      // Not migrated yet, or away: the same as none.
    } finally {
      await database.close().catch(() => undefined);
    }
  }
  bench.notify({ code: 'hosts.unknown' });
  return null;
}
