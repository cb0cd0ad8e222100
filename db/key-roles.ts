import type pg from 'pg';
import type { HiddenTable } from './hidden-tables.js';
import { READER_ROLE } from './reader-role.js';

/** For commands and servers: reads and writes rows, but not definitions or the evaluators' key. */
export const APP_ROLE = 'bench_app';
/** For workers: the same, and the key. */
export const WORKER_ROLE = 'bench_worker';

const KEY_TABLES = { evaluator_key: [WORKER_ROLE], sealing_key: [APP_ROLE] } satisfies Record<HiddenTable, string[]>;

/** Revokes general and default privileges in this schema. Ignores missing roles. */
export async function guardKeys(client: pg.ClientBase): Promise<void> {
  const guards = Object.entries(KEY_TABLES).flatMap(([table, readers]) => [
    ...['public', READER_ROLE, APP_ROLE, WORKER_ROLE].map((role) => `revoke all on ${table} from ${role}`),
    ...readers.map((role) => `grant select, insert on ${table} to ${role}`),
  ]);
  // In one message, each with its own exception handler.
  const statements = guards.map(
    (guard) => `do $$ begin ${guard}; exception when undefined_object or insufficient_privilege then null; end $$`,
  );
  await client.query(statements.join(';\n'));
}
