import type { Bench } from '../../bench.js';

/** The administrator's address if there is one, else the one that everything uses; the embedded database is started. */
export async function adminUrl(bench: Bench): Promise<string> {
  const { adminDatabaseUrl, databaseUrl } = bench.settings;
  return adminDatabaseUrl ?? databaseUrl ?? (await bench.databaseUrl());
}
