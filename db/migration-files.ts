import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';

/** Beside this file, in the source tree as in the compiled one. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../db/migrations', import.meta.url));

export interface Migration {
  createdAt: number;
  hash: string;
}

export const knownMigrations = (): Migration[] =>
  readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).map(({ folderMillis, hash }) => ({
    createdAt: folderMillis,
    hash,
  }));

/**
 * `current`: nothing to do. `behind`: the rest can be applied. `newer`: made by a later program. `foreign`: the
 * database has another history than this program.
 */
export function compareMigrations(
  known: Migration[],
  applied: Migration[],
): 'current' | 'behind' | 'newer' | 'foreign' {
  const shared = Math.min(known.length, applied.length);
  for (let i = 0; i < shared; i++) {
    if (known[i]?.createdAt !== applied[i]?.createdAt || known[i]?.hash !== applied[i]?.hash) return 'foreign';
  }
  if (applied.length > known.length) return 'newer';
  return applied.length === known.length ? 'current' : 'behind';
}
