import type { Installation } from '../domain/home/installation.js';
import pg from 'pg';
import { BenchError } from '../domain/errors.js';
import { connectionSettings, describeDatabase } from './connection-settings.js';
import { connectionError, errorFields, queryError } from './database-error.js';
import { isAlive } from './store/hosts/conditions.js';

/** Created on first use. The schema must be up to date. */
export function readInstallation(databaseUrl: string): Promise<Installation> {
  return connected(databaseUrl, async (client, database) => {
    // Two processes may do this at once: the index admits one row.
    let id = await idOf(client);
    if (id === undefined) await client.query('insert into installation default values on conflict do nothing');
    id ??= await idOf(client);
    if (id === undefined) throw new BenchError('failed', `cannot insert into the table installation at ${database}`);
    return { id, database, hosts: await liveHosts(client) };
  });
}

/** Without writing; null: no id yet, or no tables. */
export function findInstallation(databaseUrl: string): Promise<Installation | null> {
  return connected(databaseUrl, async (client, database) => {
    try {
      const id = await idOf(client);
      return id === undefined ? null : { id, database, hosts: await liveHosts(client) };
    } catch (error) {
      if (errorFields(error).code === '42P01') return null;
      throw error;
    }
  });
}

async function connected<T>(
  databaseUrl: string,
  work: (client: pg.Client, database: string) => Promise<T>,
): Promise<T> {
  const database = describeDatabase(databaseUrl);
  const client = new pg.Client(connectionSettings(databaseUrl));
  client.on('error', () => undefined); // the query in progress fails with it
  try {
    await client.connect().catch((error: unknown) => {
      throw connectionError(database, error);
    });
    return await work(client, database);
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

async function liveHosts(client: pg.Client): Promise<Installation['hosts']> {
  const { rows } = await client.query<{ hostId: string; homeId: string | null; id: string; at: string }>(
    `select host_id as "hostId", home_id as "homeId", namespace_id as id, namespace_at as at
     from hosts h where ${isAlive('h')} and namespace_id is not null order by host_id`,
  );
  return rows.map(({ hostId, homeId, id, at }) => ({ hostId, homeId, namespace: { id, at } }));
}
