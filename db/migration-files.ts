import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';

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
 * `behind`: the rest can be applied. `newer`: made by a later program. `before`: older than our
 * first migration. `foreign`: the histories differ.
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
