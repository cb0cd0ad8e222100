import type pg from 'pg';
import type { HiddenTable } from './hidden-tables.js';
import { READER_ROLE } from './reader-role.js';

/** The role of commands and servers: reads and writes rows, cannot change tables, nor read the key of the evaluators' seeds. */
export const APP_ROLE = 'bench_app';
/** The role of workers: the same, and the key. */
export const WORKER_ROLE = 'bench_worker';

/** Who may read what the others may not. */
const KEY_TABLES = { evaluator_key: [WORKER_ROLE], sealing_key: [APP_ROLE] } satisfies Record<HiddenTable, string[]>;

/** Take away what general and default privileges gave to others, in this schema. Roles that do not exist are left out. */
export async function guardKeys(client: pg.ClientBase): Promise<void> {
  const guards = Object.entries(KEY_TABLES).flatMap(([table, readers]) => [
    ...['public', READER_ROLE, APP_ROLE, WORKER_ROLE].map((role) => `revoke all on ${table} from ${role}`),
    ...readers.map((role) => `grant select, insert on ${table} to ${role}`),
  ]);
  // In one message, each with its own way out.
  const statements = guards.map(
    (guard) => `do $$ begin ${guard}; exception when undefined_object or insufficient_privilege then null; end $$`,
  );
  await client.query(statements.join(';\n'));
}
