import { readerLogin } from '../home-identity.js';
import type { BenchSettings } from '../../settings.js';
import { type AdminPorts, adminUrl } from './admin-url.js';

export type DatabaseUrlPorts = AdminPorts & { settings: Pick<BenchSettings, 'layout'> };

/** For other programs, password included: of the read-only user, or of the owner. */
export async function databaseUrl(ports: DatabaseUrlPorts, { owner }: { owner: boolean }): Promise<string> {
  const url = await ports.databaseUrl();
  if (owner) return url;
  const { readerUrl } = await import('../../../db/index.js');
  return readerUrl(url, await adminUrl(ports), readerLogin(ports.settings.layout));
}
