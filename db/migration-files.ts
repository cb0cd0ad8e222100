import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';

/** Beside this file, in the sources and in dist/. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../db/migrations', import.meta.url));

export interface Migration {
  createdAt: number;
  hash: string;
}

export interface MigrationFile extends Migration {
  statements: string[];
}

export const knownMigrations = (): MigrationFile[] =>
  readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).map(({ folderMillis, hash, sql }) => ({
    createdAt: folderMillis,
    hash,
    statements: sql,
  }));

/**
 * `current`: nothing to do. `behind`: the rest can be applied. `newer`: made by a later program. `before`: made before our
 * first migration, where compatibility begins. `foreign`: the database has another history than this program.
 */
export function compareMigrations(
  known: readonly Migration[],
  applied: readonly Migration[],
): 'current' | 'behind' | 'newer' | 'before' | 'foreign' {
  const first = known[0]?.createdAt ?? 0;
  if (applied.length > 0 && applied.every(({ createdAt }) => createdAt < first)) return 'before';
  const shared = Math.min(known.length, applied.length);
  for (let i = 0; i < shared; i++) {
    if (known[i]?.createdAt !== applied[i]?.createdAt || known[i]?.hash !== applied[i]?.hash) return 'foreign';
  }
  if (applied.length > known.length) return 'newer';
  return applied.length === known.length ? 'current' : 'behind';
}
