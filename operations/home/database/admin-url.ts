import type { BenchSettings } from '../../settings.js';

export interface AdminPorts {
  settings: Pick<BenchSettings, 'adminDatabaseUrl' | 'databaseUrl'>;
  databaseUrl(): Promise<string>;
}

/** The administrator's address if there is one, else the common one. */
export async function adminUrl(ports: AdminPorts): Promise<string> {
  const { adminDatabaseUrl, databaseUrl } = ports.settings;
  return adminDatabaseUrl ?? databaseUrl ?? (await ports.databaseUrl());
}
