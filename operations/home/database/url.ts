import type { Bench } from '../../bench.js';

/** The address of the database, password included, for other programs. */
export async function databaseUrl(bench: Bench): Promise<string> {
  await bench.database();
  return bench.databaseUrl();
}
