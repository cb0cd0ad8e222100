import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { preparedStatements, type Statements } from '../../db/statements.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let pool: pg.Pool;
let run: Statements;
beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await server.createDatabase(), max: 1 });
});
afterAll(() => pool.end());

const prepared = async (): Promise<number> =>
  Number((await pool.query<{ count: string }>('select count(*) from pg_prepared_statements')).rows[0]?.count);
const translate = (operation: string, error: unknown): Error => new Error(`${operation}: ${String(error)}`);

test('is planned once, and asked anew by itself where its plan is gone', async () => {
  run = preparedStatements(pool, translate);
  const ask = () => run<{ sum: number }>('sum', 'select $1::int + 1 as sum', [1]);
  expect([await ask(), await ask()]).toEqual([[{ sum: 2 }], [{ sum: 2 }]]);
  expect(await prepared()).toBe(1);
  // As by a pooler that has given us another connection.
  await pool.query('deallocate all');
  expect(await ask()).toEqual([{ sum: 2 }]);
  expect(await prepared()).toBe(0);
});

test('outlives a migration that changes the columns of what it reads', async () => {
  run = preparedStatements(pool, translate);
  await pool.query('create table kept (a int); insert into kept values (1)');
  const ask = () => run('kept', 'select * from kept', []);
  expect(await ask()).toEqual([{ a: 1 }]);
  await pool.query('alter table kept add b int');
  expect(await ask()).toEqual([{ a: 1, b: null }]);
});

test('other errors are what the operation makes of them', async () => {
  run = preparedStatements(pool, translate);
  await expect(run('broken', 'select nothing_there', [])).rejects.toThrow('broken: error: column "nothing_there"');
});
