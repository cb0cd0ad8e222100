import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** Each URL is the superuser's. */
export interface TestDatabases {
  createDatabase(): Promise<string>;
  createEmptyDatabase(): Promise<string>;
}

export interface ServerAddress {
  adminUrl: string;
  template: string;
}

export function databasesOf({ adminUrl, template }: ServerAddress): TestDatabases {
  const create = async (from: string) => {
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    await administer(adminUrl, `create database ${name} template ${from}`);
    return adminUrl.replace(/[^/]+$/, name);
  };
  return { createDatabase: () => create(template), createEmptyDatabase: () => create('template1') };
}

/** One statement on the server's own database, as `create database` requires. */
export async function administer(adminUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
