import { BenchError } from '../../../domain/errors.js';
import type { MigrationDocument } from '../../../domain/views/database.js';
import { type AdminPorts, adminUrl } from './admin-url.js';

export async function migrateDatabase(ports: AdminPorts): Promise<MigrationDocument> {
  const { migrate, schemaState } = await import('../../../db/index.js');
  const url = await adminUrl(ports);
  const { applied, created } = await migrate(url);
  const after = await schemaState(url);
  if (after.state !== 'current') throw new BenchError('failed', 'the schema is still not up to date');
  return { applied, created, migrations: after.applied };
}
