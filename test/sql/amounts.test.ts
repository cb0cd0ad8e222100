import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, migrate, openDatabase } from '../../db/index.js';
import { run, submission, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
beforeAll(async () => {
  const url = await server.createDatabase();
  await migrate(url);
  db = openDatabase(url);
});
afterAll(() => db.close());

test('no column of money or tokens takes an amount below zero', async () => {
  const { rows } = await db.pool.query<{ at: string; checks: string }>(
    `select c.table_name || '.' || c.column_name as at,
       coalesce((select string_agg(pg_get_constraintdef(k.oid), ' ') from pg_constraint k
         where k.conrelid = c.table_name::regclass and k.contype = 'c'), '') as checks
     from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
       and c.data_type in ('numeric', 'bigint', 'integer', 'double precision')
       and (c.column_name ~ '(_usd|_tokens)$' or c.column_name in ('tokens', 'charged', 'token_limit'))
     order by 1`,
  );
  expect(rows.length).toBeGreaterThan(25);
  const unchecked = rows.filter(({ at, checks }) => !new RegExp(`\\b${at.split('.')[1]} >=? `).test(checks));
  expect(unchecked.map(({ at }) => at)).toEqual([]);
});

test('a reservation below zero fails by itself: the budget and the next call are as they were', async () => {
  const batch = submission(null, (batchId) => [run(batchId, task('t'), 'm', 1)]);
  await db.intake.submit(batch);
  const { runId, batchId } = batch.runs[0]!;
  await db.pool.query('update batches set budget_usd = 1 where batch_id = $1', [batchId]);
  const key = { runId, step: 1, try: 0 };
  const call = { provider: 'openai', model: 'm', messages: [] };
  for (const reservedUsd of ['-10000', '-0.0000000001'])
    await expect(db.store.reserveCall(key, { ...call, reservedUsd })).rejects.toMatchObject({ code: '23514' });
  const charged = () =>
    db.pool.query<{ usd: string }>('select trim_scale(charged_usd)::text as usd from batches where batch_id = $1', [
      batchId,
    ]);
  expect((await charged()).rows[0]!.usd).toBe('0');
  expect(await db.store.reserveCall(key, { ...call, reservedUsd: '0.5' })).toMatchObject({ kind: 'reserved' });
  const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0, reasoningTokens: 0 };
  const reply = { text: '', finishReason: 'stop', usage, costUsd: '-2000' };
  await expect(db.store.settleCall(key, reply, 1)).rejects.toMatchObject({ code: '23514' });
  expect((await charged()).rows[0]!.usd).toBe('0.5');
});

test('a claim that the database refuses is not tried again', async () => {
  await db.pool.query("alter table program_steps add constraint of_this_test check (agent <> 'odd')");
  const batch = submission(null, (batchId) => [run(batchId, task('t'), 'm', 1)]);
  await db.intake.submit(batch);
  const { runId } = batch.runs[0]!;
  const call = { most: 5, wire: 'anthropic', fingerprint: 'f', likeness: 'l' };
  await expect(db.store.claimStep(runId, 'a', 1, { ...call, agent: 'odd' })).rejects.toMatchObject({
    constraint: 'of_this_test',
  });
  expect(await db.store.claimStep(runId, 'b', 1, { ...call, agent: '' })).toBe(1);
});
