import pg from 'pg';
import { BenchError } from '../domain/errors.js';
import { connectionSettings, describeDatabase } from './connection-settings.js';
import { connectionError, queryError } from './database-error.js';

export interface Installation {
  /** UUID, made once per database; backups carry it. */
  id: string;
  /** Host, port and database, for messages. */
  database: string;
}

/** Which installation the database is; it becomes one when it is first asked. The schema must be up to date. */
export async function readInstallation(databaseUrl: string): Promise<Installation> {
  const database = describeDatabase(databaseUrl);
  const client = new pg.Client(connectionSettings(databaseUrl));
  client.on('error', () => undefined); // the query in progress fails with it
  try {
    await client.connect().catch((error: unknown) => {
      throw connectionError(database, error);
    });
    // Two may ask at once for the first time: the index lets one row in.
    let id = await idOf(client);
    if (id === undefined) await client.query('insert into installation default values on conflict do nothing');
    id ??= await idOf(client);
    if (id === undefined) throw new BenchError('failed', `the table installation at ${database} takes no row`);
    return { id, database };
  } catch (error) {
    throw queryError('reading which installation the database is', error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function idOf(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>('select installation_id as id from installation');
  return rows[0]?.id;
}
