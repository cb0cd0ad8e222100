import { readerLogin } from '../home-identity.js';
import type { Bench } from '../../bench.js';
import { adminUrl } from './admin-url.js';

/** The address of the database, password included, for other programs: of a user who only reads, or of the owner. */
export async function databaseUrl(bench: Bench, { owner }: { owner: boolean }): Promise<string> {
  await bench.database();
  const url = await bench.databaseUrl();
  if (owner) return url;
  const { readerUrl } = await import('../../../db/index.js');
  return readerUrl(url, await adminUrl(bench), readerLogin(bench.settings.layout));
}
