import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { homeLayout } from '../../domain/home/layout.js';
import { type ActionResult, actionResultSchema, type Preview, previewSchema } from '../../domain/views/steering.js';
import type { Bench } from '../../operations/bench.js';
import { API } from '../../web/api/routes.js';
import { createApp } from '../../web/server/app.js';
import { allHandlers } from '../../web/server/handlers/index.js';
import { watchOutage } from '../../web/server/outage.js';
import { run, submission, SUBMITTED, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const HOST = 'localhost:1';
const server = sharedDatabases();
const home = mkdtempSync(join(tmpdir(), 'bench-page-'));
let db: Database;
let bench: Bench;
let batchId: string;
let runIds: string[];

/** Another server of the same home: what it was told is not in its memory. */
const newServer = () =>
  createApp({
    handlers: allHandlers(bench, watchOutage(bench), '1.2.3').handlers,
    tokens: { find: (name) => ({ name, role: 'operator', createdAt: new Date().toISOString(), expiresAt: null }) },
    ...{ hosts: [HOST], origins: [], readOnly: false, compressed: false, version: '1.2.3', page: home },
  });
let app: ReturnType<typeof newServer>;

beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
  const batch = submission('steered', (id) => [1, 2, 3, 4].map((attempt) => run(id, task('one'), 'alpha', attempt)));
  await db.intake.submit({ ...batch, batch: { ...batch.batch, budgetUsd: '5' } });
  batchId = batch.batch.batchId;
  runIds = batch.runs.map(({ runId }) => runId);
  await db.pool.query(`update runs set status = 'running', started_at = now(), cost_usd = 0.5 where ordinal = 0`);
  await db.store.finishRun(runIds[1]!, SUBMITTED);
  await db.store.finishRun(runIds[2]!, { endReason: 'infra_error', finalEvaluation: 'not_run', detail: 'gone' });
  await db.pool.query(`insert into hosts (host_id, backends) values ('h', '["docker"]')`);
  bench = {
    settings: { layout: homeLayout(home), env: {}, configFolders: [] },
    ...db,
    database: () => Promise.resolve(db),
    reconnect: () => Promise.resolve(),
  } as unknown as Bench;
  app = newServer();
});
afterAll(async () => {
  await db.close();
  rmSync(home, { recursive: true, force: true });
});

const headers = (more: Record<string, string> = {}) => ({ host: HOST, authorization: 'Bearer ann', ...more });

async function preview(path: string): Promise<Preview> {
  const response = await app.request(`http://${HOST}${API}${path}`, { headers: headers() });
  const body: unknown = await response.json();
  expect([path, response.status]).toEqual([path, 200]);
  return previewSchema.parse(body);
}
const post = (path: string, body: object, key: string | null, to = app) =>
  Promise.resolve(
    to.request(`http://${HOST}${API}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: headers({ 'content-type': 'application/json', ...(key !== null && { 'idempotency-key': key }) }),
    }),
  );
const result = async (response: Response): Promise<ActionResult> => {
  const body: unknown = await response.json();
  expect([response.status, body]).toEqual([200, body]);
  return actionResultSchema.parse(body);
};
const counts = ({ effects }: Preview) => Object.fromEntries(effects.map(({ what, count }) => [what, count]));

describe('a preview counts what would happen', () => {
  test('to a batch that is paused, cancelled, repeated', async () => {
    expect(counts(await preview(`/batches/${batchId}/pause/preview`))).toEqual({
      runs_in_flight_continue: 1,
      runs_not_begun_wait: 1,
    });
    const cancel = await preview('/batches/steered/cancel/preview');
    expect(cancel).toMatchObject({ subject: batchId, allowed: true, final: true });
    expect(counts(cancel)).toEqual({ runs_in_flight_end: 1, runs_not_begun_end: 1, spent_usd: null });
    expect(cancel.effects.at(-1)?.text).toBe('$0.5 spent stays spent');
    expect(counts(await preview('/batches/steered/retry/preview'))).toEqual({ runs_repeated: 1 });
  });

  test('and refuses what would do nothing', async () => {
    expect(await preview('/batches/steered/budget/preview?usd=5')).toMatchObject({
      allowed: false,
      refusal: 'the budget is $5 already: name a larger one',
    });
    expect(await preview('/batches/steered/budget/preview?usd=5.01')).toMatchObject({ allowed: true });
    expect(await preview(`/runs/${runIds[1]}/cancel/preview`)).toMatchObject({
      allowed: false,
      refusal: 'the run has ended',
    });
    expect(await preview(`/runs/${runIds[1]}/retry/preview`)).toMatchObject({ allowed: false });
    expect(await preview('/hosts/h/undrain/preview')).toMatchObject({ allowed: false });
  });

  test('has another tag when things have moved', async () => {
    const before = await preview('/batches/steered/cancel/preview');
    expect((await preview('/batches/steered/cancel/preview')).tag).toBe(before.tag);
    await db.store.finishRun(runIds[3]!, SUBMITTED);
    expect((await preview('/batches/steered/cancel/preview')).tag).not.toBe(before.tag);
  });
});

describe('an action', () => {
  test('wants the key of an idempotent request', async () => {
    const { tag } = await preview('/hosts/h/drain/preview');
    for (const key of [null, 'short', 'with spaces in it'])
      expect((await post('/hosts/h/drain', { tag }, key)).status).toBe(400);
    expect((await db.queries.hosts())[0]?.state).not.toBe('drained');
  });

  test('is refused (412) where its preview is of another state', async () => {
    const response = await post('/hosts/h/drain', { tag: 'another' }, 'key-0000');
    expect([response.status, (await response.json()) as object]).toMatchObject([
      412,
      { error: { code: 'preview.outdated' } },
    ]);
  });

  test('is done once for each key, at once and by another server, and recorded with who wanted it', async () => {
    const { tag } = await preview('/hosts/h/drain/preview');
    const both = await Promise.all([1, 2].map(async () => result(await post('/hosts/h/drain', { tag }, 'key-0001'))));
    expect(both.map(({ repeated }) => repeated).sort()).toEqual([false, true]);
    expect(both[0]!.result).toEqual({ hostId: 'h', state: 'drained' });
    const again = await result(await post('/hosts/h/drain', { tag }, 'key-0001', newServer()));
    expect(again).toEqual({ ...both[0], repeated: true });
    const events = await db.queries.events({ kinds: ['operator_action'] });
    expect(events).toHaveLength(1);
    expect(events[0]?.detail).toMatch(/^ann: drain \{/);
  });

  test('of another key that would do nothing any more is refused, and says why', async () => {
    const { tag } = await preview('/hosts/h/drain/preview');
    const response = await post('/hosts/h/drain', { tag }, 'key-0002');
    expect([response.status, JSON.stringify(await response.json())]).toEqual([
      409,
      expect.stringContaining('drained already') as string,
    ]);
  });

  test('of what is not there is refused', async () => {
    expect((await post('/hosts/nobody/drain', { tag: 't' }, 'key-0003')).status).toBe(404);
    expect((await post('/batches/nothing/pause', { tag: 't' }, 'key-0004')).status).toBe(404);
  });
});

describe('labels', () => {
  test.each([
    ['batches', () => batchId, () => db.queries.findBatch(batchId)],
    ['runs', () => runIds[0]!, () => db.queries.findRun(runIds[0]!)],
  ] as const)('of %s are replaced as a whole, once', async (of, id, found) => {
    const path = `/${of}/${id()}/label`;
    const label = async (tags: string, note: string, key: string) => {
      const { tag, allowed, refusal, effects } = await preview(
        `${path}/preview?${new URLSearchParams({ tags, note }).toString()}`,
      );
      return { allowed, refusal, effects, response: await post(path, { tag, tags, note }, key) };
    };
    const first = await label('paper:v2, baseline', "the old prompt's", `labels-of-${of}-1`);
    expect(first.effects[0]).toMatchObject({ what: 'tags', count: 2, text: 'its tags are baseline, paper:v2' });
    await result(first.response);
    expect(await found()).toMatchObject({ tags: ['baseline', 'paper:v2'], note: "the old prompt's" });
    await result((await label('paper:v2', '', `labels-of-${of}-2`)).response);
    expect(await found()).toMatchObject({ tags: ['paper:v2'], note: null });
    const same = await label('paper:v2', '', `labels-of-${of}-3`);
    expect([same.allowed, same.refusal, same.response.status]).toEqual([
      ...[false, 'these are its labels already', 409],
    ]);
    const bad = await app.request(`http://${HOST}${API}${path}/preview?tags=a%21b`, { headers: headers() });
    expect([bad.status, await bad.text()]).toEqual([400, expect.stringContaining('must be words of letters')]);
    await result((await label('', '', `labels-of-${of}-4`)).response);
  });
});
