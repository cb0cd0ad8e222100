import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { findRunOrBatch } from '../../operations/results/find-run-or-batch.js';
import { oneRun } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
  await oneRun(db);
  await oneRun(db);
  // Ids of one day begin alike.
  await db.pool.query(`
    set session_replication_role = replica;
    update runs set batch_id = 'b-01ka' || right(batch_id, 22), run_id = 'r-01ka' || right(run_id, 22);
    update batches set batch_id = 'b-01ka' || right(batch_id, 22);
    set session_replication_role = origin;
  `);
});
afterAll(async () => {
  await db.close();
});

const find = (ref: string) => findRunOrBatch(db, ref);

describe('the start of an id', () => {
  test('finds its run or batch, with and without the letter', async () => {
    const [run] = await db.queries.listRuns({ limit: 1 });
    const { runId = '', batchId = '' } = run ?? {};
    expect(await find(runId.slice(0, -3))).toMatchObject({ kind: 'run', run: { runId } });
    expect(await find(runId.slice(2, -3))).toMatchObject({ kind: 'run', run: { runId } });
    expect(await find(batchId.slice(2, -3))).toMatchObject({ kind: 'batch', batch: { batchId } });
  });

  test('that several have is refused with those that it matches', async () => {
    const runs = await db.queries.listRuns({ limit: 2 });
    for (const [ref, ids] of [
      ['r-01ka', runs.map(({ runId }) => runId)],
      ['01ka', runs.map(({ batchId }) => batchId)],
    ] as const) {
      const error: unknown = await find(ref).catch((refusal: unknown) => refusal);
      expect(error).toMatchObject({ type: 'not_found', code: expect.stringMatching(/\.ambiguous$/) as string });
      for (const id of ids) expect((error as { remedy: string }).remedy).toContain(id);
    }
  });

  test('that none has says where ids are listed', async () => {
    await expect(find('nope')).rejects.toMatchObject({ message: 'no batch or run "nope"', code: 'id.not_found' });
  });
});

describe('an id of the other kind', () => {
  test('says what it is, and what shows it', async () => {
    const [run] = await db.queries.listRuns({ limit: 1 });
    const { runId = '', batchId = '' } = run ?? {};
    await expect(db.queries.findRun(batchId)).rejects.toMatchObject({
      message: `"${batchId}" is a batch, not a run`,
      code: 'run.not_found',
      remedy: `\`bench status ${batchId}\` shows it, \`bench runs ${batchId}\` lists its runs.`,
    });
    await expect(db.queries.findBatch(runId)).rejects.toMatchObject({
      message: `"${runId}" is a run, not a batch`,
      code: 'batch.not_found',
      remedy: `\`bench show ${runId}\` shows it. Its batch is ${batchId}.`,
    });
  });
});
