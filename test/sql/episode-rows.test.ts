import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, migrate, openDatabase } from '../../db/index.js';
import { newBatchId, newRunId } from '../../domain/ids.js';
import type { NewEpisode } from '../../domain/ports/episodes.js';
import { run, task } from '../fixtures/rows.js';
import { startPostgres, type TestPostgres } from '../setup/postgres.js';

let server: TestPostgres;
let db: Database;
let rows: pg.Client;

beforeAll(async () => {
  server = await startPostgres();
  const url = await server.createDatabase();
  await migrate(url);
  db = openDatabase(url, { max: 4 });
  rows = new pg.Client({ connectionString: url });
  await rows.connect();
});
afterAll(async () => {
  await rows.end();
  await db.close();
  await server.stop();
});

const openBatch = (batchId: string) =>
  db.episodes.openBatch({ batchId, name: `episodes ${batchId}`, spec: {}, seed: 1, concurrency: 1 });

function episode(batchId: string, taskId: string): NewEpisode {
  const model = { name: 'external', kind: 'external', provider: 'external', model: 'external' } as const;
  const played = { ...run(batchId, task(taskId), 'external', 1), model, runId: newRunId() };
  return {
    ...{ run: played, episodeId: played.runId, protocol: 'rest', session: null, reset: {}, reward: {} },
    ...{ idleSeconds: 60, deadlineAt: null, resetMs: 1 },
  };
}
const contents = async (): Promise<number> =>
  (await rows.query<{ n: number }>('select count(*)::int as n from task_versions')).rows[0]?.n ?? NaN;

describe('an action', () => {
  it.each([
    ['NUL', { command: "tr '\0' '\\n' < f" }, { command: "tr '\ufffd' '\\n' < f" }],
    ['half a pair', { reply: 'half \ud83d' }, { reply: 'half \ufffd' }],
    ['half a pair at the end of what is no action', { malformed: `"${'\ud83d'}` }, { malformed: '"\ufffd' }],
  ])('with %s is taken, and is the same one when it is repeated', async (_what, action, stored) => {
    const { batchId } = await openBatch(newBatchId());
    const one = episode(batchId, 'acted');
    const { runId } = one.run;
    await db.episodes.create(one, 'test');
    const sent = { runId, seq: 1, action, reply: Object.values(action)[0] ?? '', policyVersion: null };
    expect(await db.episodes.take(sent)).toMatchObject({ kind: 'taken', repeated: false });
    expect(await db.episodes.take(sent)).toMatchObject({ kind: 'taken', repeated: true });
    expect((await db.episodes.taken(runId, 1))?.action).toEqual(stored);
  });
});

it('an episode whose client is there expires sooner, and counts as detached only when that is gone', async () => {
  const { batchId } = await openBatch(newBatchId());
  const one = episode(batchId, 'left');
  const { runId } = one.run;
  await db.episodes.create(one, 'test');
  const left = async () =>
    (
      await rows.query<{ left: number; detached: boolean }>(
        `select round(extract(epoch from expires_at - now()) / 10)::int * 10 as left, detached_at is not null as detached
         from episodes where run_id = $1`,
        [runId],
      )
    ).rows[0];
  await db.episodes.expireIn(runId, 30);
  expect(await left()).toEqual({ left: 30, detached: false });
  await db.episodes.detach(runId, 10);
  expect(await left()).toEqual({ left: 10, detached: true });
  // Of a connection that was lost meanwhile.
  await db.episodes.expireIn(runId, 60);
  expect(await left()).toEqual({ left: 10, detached: true });
  await db.episodes.touch(runId);
  expect(await left()).toEqual({ left: 60, detached: false });
});

describe('episodes of one task', () => {
  it('share the rows of their task and agent, which the first one stores', async () => {
    const { batchId } = await openBatch(newBatchId());
    const [before, begun] = [await contents(), [episode(batchId, 'shared'), episode(batchId, 'shared')]];
    for (const one of begun) expect((await db.episodes.create(one, 'test')).known).toBe(false);
    expect(await contents()).toBe(before + 1);
    const found = await Promise.all(begun.map(({ run: { runId } }) => db.store.definition(runId)));
    expect(found.map((one) => one.task.id)).toEqual(['shared', 'shared']);
  });

  it('are the one that is there when their id is repeated, at once or later', async () => {
    const { batchId } = await openBatch(newBatchId());
    const one = episode(batchId, 'repeated');
    const together = await Promise.all([1, 2, 3].map(() => db.episodes.create(one, 'test')));
    expect(together.filter(({ known }) => !known)).toHaveLength(1);
    expect(await db.episodes.create(one, 'test')).toMatchObject({ known: true, row: { runId: one.run.runId } });
  });

  it('store them again when the database has lost them', async () => {
    await db.episodes.create(episode((await openBatch(newBatchId())).batchId, 'lost'), 'test');
    await rows.query('truncate batches, runs, task_versions, agent_configs cascade');
    const { batchId } = await openBatch(newBatchId());
    expect((await db.episodes.create(episode(batchId, 'lost'), 'test')).known).toBe(false);
    expect(await contents()).toBe(1);
  });
});
