import type { Database } from '../../db/index.js';
import { embeddedDatabaseUrl, servicesStatus } from '../../services/index.js';
import type { Bench } from '../bench.js';

/** For a dry run, which starts nothing: what is read, or null where no database answers. */
export async function ifDatabaseAnswers<T>(
  { settings }: Bench,
  read: (database: Database) => Promise<T>,
): Promise<T | null> {
  const url =
    settings.databaseUrl ?? (servicesStatus(settings.home).running ? embeddedDatabaseUrl(settings.home) : null);
  if (url === null) return null;
  const { openDatabase } = await import('../../db/index.js');
  const database = openDatabase(url, { max: 1 });
  try {
    return await read(database);
  } catch {
    // Not migrated yet, or away: the same as none.
    return null;
  } finally {
    await database.close().catch(() => undefined);
  }
}
