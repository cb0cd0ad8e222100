import { openDatabase } from '../db/index.js';
import type { Stores } from '../domain/ports/stores.js';
import { embeddedDatabaseUrl, servicesStatus } from '../services/index.js';
import type { BenchSettings } from './settings.js';

/** For a dry run, which starts nothing: null where no database answers. */
export async function ifDatabaseAnswers<T>(
  settings: Pick<BenchSettings, 'databaseUrl' | 'home'>,
  read: (stores: Stores) => Promise<T>,
): Promise<T | null> {
  const url =
    settings.databaseUrl ?? (servicesStatus(settings.home).running ? embeddedDatabaseUrl(settings.home) : null);
  if (url === null) return null;
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
