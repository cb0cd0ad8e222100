import type { DatabaseRoles } from '../../../domain/views/database.js';
import { type AdminPorts, adminUrl } from './admin-url.js';

/** Creates the roles of workers and readers as the administrator; returns their names. */
export async function createRoles(ports: AdminPorts): Promise<DatabaseRoles> {
  const { ensureRoles, migrate } = await import('../../../db/index.js');
  const url = await adminUrl(ports);
  await migrate(url);
  return ensureRoles(url);
}
