import type { TestProject } from 'vitest/node';
import type { ServerAddress } from '../databases.js';
import { startPostgres } from '../postgres.js';
import { clearEnvironment } from './environment.js';

/** Project `sql`: one PostgreSQL server; each file copies databases from a migrated template. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  clearEnvironment();
  const server = await startPostgres({ maxConnections: 400 });
  project.provide('postgres', await server.prepareTemplate());
  return () => server.stop();
}

declare module 'vitest' {
  interface ProvidedContext {
    postgres: ServerAddress;
  }
}
