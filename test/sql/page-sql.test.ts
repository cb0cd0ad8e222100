import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { EXAMPLE_QUERIES } from '../../domain/results/example-queries.js';
import type { QueryResult } from '../../domain/views/database.js';
import type { DatabaseSchema } from '../../domain/views/schema.js';
import { storeSweep } from '../browser/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { type PageApp, pageApp } from '../setup/page-app.js';

let url: string;
let db: Database;
let reader: Database;
let app: PageApp;
let reading: PageApp;
let runId: string;
let batchId: string;
beforeAll(async () => {
  url = await sharedDatabases().createDatabase();
  db = openDatabase(url);
  const { runs, batch } = await storeSweep(db);
  [runId, batchId] = [runs[0]!.runId, batch.batchId];
  reader = openDatabase(url, { reads: true });
  app = pageApp(db, url);
  reading = pageApp(reader, url, { readOnly: true });
});
afterAll(async () => {
  app.close();
  reading.close();
  await reader.close();
  await db.close();
});

const ask = (query: string, more: object = {}, of = app, signal?: AbortSignal): Promise<Response> =>
  of.ask('/sql', { method: 'POST', body: { query, ...more }, ...(signal && { signal }) });
const codeOf = async (response: Response): Promise<[number, string]> => [
  response.status,
  ((await response.json()) as { error: { code: string } }).error.code,
];
/** Statements that other connections run now and whose text has this. */
async function running(part: string): Promise<number> {
  const { rows } = await db.pool.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and state = 'active' and strpos(query, $1) > 0`,
    [part],
  );
  return rows[0]!.n;
}
async function until(what: string, found: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await found());) {
    if (Date.now() > end) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('a query from the page', () => {
  test('is answered as `bench sql` answers it', async () => {
    const response = await ask('select status, count(*) from runs group by 1');
    expect([response.status, await response.json()]).toEqual([
      200,
      { columns: ['status', 'count'], rows: [['ended', 12]], truncated: false } satisfies QueryResult,
    ]);
    const cut = (await (await ask('select generate_series(1, 100)', { maxRows: 7 })).json()) as QueryResult;
    expect([cut.rows.length, cut.truncated]).toEqual([7, true]);
  });

  test.each([
    'delete from runs',
    'select pg_advisory_lock(1)',
    'select 1; select 2',
    "select set_config('role', 'none', false)",
  ])('changes nothing: %s', async (query) => {
    for (const of of [app, reading]) expect(await codeOf(await ask(query, {}, of))).toEqual([422, 'query.rejected']);
  });

  test('has its limits: time, rows, length', async () => {
    expect(await codeOf(await ask('select pg_sleep(60)', { timeout: 1 }))).toEqual([422, 'query.timed_out']);
    expect((await ask('select 1', { timeout: 301 })).status).toBe(400);
    expect((await ask('select 1', { maxRows: 10_001 })).status).toBe(400);
    expect((await ask(`select '${'x'.repeat(100_001)}'`)).status).toBe(400);
  });

  test('ends in PostgreSQL once nobody waits for it; two run at once, and a third is told so', async () => {
    const leaving = [new AbortController(), new AbortController()];
    const asked = leaving.map(({ signal }, i) => ask(`select pg_sleep(600), ${i}`, { timeout: 300 }, app, signal));
    await until('both run', async () => (await running('fetch forward')) === 2);
    expect(await codeOf(await ask('select 1'))).toEqual([429, 'requests.too_many']);
    for (const one of leaving) one.abort();
    await until('both have ended', async () => (await running('fetch forward')) === 0);
    await Promise.all(asked);
    expect((await ask('select 1')).status).toBe(200);
  });
});

test('any request that is given up, or has no time left, ends in PostgreSQL', async () => {
  const strict = pageApp(db, url, { limits: { requestMs: 300 } });
  const locking = await db.pool.connect();
  try {
    await locking.query('begin; lock table runs in access exclusive mode');
    expect(await codeOf(await strict.ask('/runs'))).toEqual([503, 'services.connection_lost']);
    const leaving = new AbortController();
    const left = app.ask('/runs', { signal: leaving.signal });
    await until('it waits', async () => (await running('page as materialized')) > 0);
    leaving.abort();
    await left;
    await until('none waits', async () => (await running('page as materialized')) === 0);
  } finally {
    await locking.query('rollback');
    locking.release();
    strict.close();
  }
  // Connections serve on, and services are not taken for lost.
  expect((await app.ask('/runs')).status).toBe(200);
});

test('the schema has tables, views and functions with their comments, and the queries of the reference', async () => {
  const { relations, functions, examples }: DatabaseSchema = await app.get('sqlSchema', '/sql/schema');
  const runs = relations.find(({ name }) => name === 'runs')!;
  expect([runs.kind, runs.columns[0]]).toMatchObject(['table', { name: 'run_id', type: 'text', nullable: false }]);
  const scores = relations.find(({ name }) => name === 'run_scores')!;
  expect(scores.kind).toBe('view');
  expect(scores.comment).toMatch(/\w{3}/);
  expect(functions.map(({ name }) => name)).toContain('leaderboard');
  expect(examples).toEqual(EXAMPLE_QUERIES);
});

describe('read-only', () => {
  test('answers every question as the role that may only select, with the same answers', async () => {
    const { rows } = await reader.pool.query<{ role: string; reads: string }>(
      `select current_user as role, current_setting('default_transaction_read_only') as reads`,
    );
    expect(rows).toEqual([{ role: 'bench_reader', reads: 'on' }]);
    await expect(reader.pool.query(`update runs set detail = 'x'`)).rejects.toThrow(/read-only|permission denied/);
    for (const path of [
      ...['/runs', '/runs/facets', '/batches', `/batches/${batchId}`, `/batches/${batchId}/matrix`, '/events'],
      ...[
        `/batches/${batchId}/events`,
        `/runs/${runId}`,
        `/runs/${runId}/skeleton`,
        `/runs/${runId}/steps?from=1&to=9`,
      ],
      ...['evaluations', 'calls', 'events', 'lineage', 'waiting', 'setup', 'files'].map(
        (part) => `/runs/${runId}/${part}`,
      ),
      ...['/leaderboard', '/comparisons', '/hosts', '/leases', '/limits', '/sql/schema', '/runs?contains=train'],
    ]) {
      const [owned, read] = await Promise.all([app.ask(path), reading.ask(path)]);
      expect([path, read.status]).toEqual([path, 200]);
      const ofNow = (text: string): string => text.replaceAll(/"(durationMs|waitedMs|seenAt)":[^,}]+/g, '');
      expect([path, ofNow(await read.text())]).toEqual([path, ofNow(await owned.text())]);
    }
  });

  test('takes no request that acts, and queries', async () => {
    const paused = await reading.ask(`/batches/${batchId}/pause`, { method: 'POST', body: { tag: 't' } });
    expect(paused.status).toBe(404);
    expect((await ask('select count(*) from steps', {}, reading)).status).toBe(200);
  });
});
