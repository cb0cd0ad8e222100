import type { BenchSettings } from '../../settings.js';

export interface AdminPorts {
  settings: Pick<BenchSettings, 'adminDatabaseUrl' | 'databaseUrl'>;
  /** Starts the embedded database. */
  databaseUrl(): Promise<string>;
}

/** The administrator's address if there is one, else the one that everything uses. */
export async function adminUrl(ports: AdminPorts): Promise<string> {
  const { adminDatabaseUrl, databaseUrl } = ports.settings;
  return adminDatabaseUrl ?? databaseUrl ?? (await ports.databaseUrl());
}
