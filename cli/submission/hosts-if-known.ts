import type { Queries } from '../../db/index.js';
import { embeddedDatabaseUrl, servicesStatus } from '../../services/index.js';
import type { CliContext } from '../context.js';

export type Hosts = Awaited<ReturnType<Queries['hosts']>>;

/** For a dry run, which starts nothing: null, and said so, where no database answers. */
export async function hostsIfKnown({ settings, output }: CliContext): Promise<Hosts | null> {
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
  output.log(output.logColors.dim('Hosts and their GPUs were not looked at: the services are not running.'));
  return null;
}
