import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import type { BatchSubmission } from '../../domain/ports/record/batch-intake.js';
import { type SearchRequest, searchRequestSchema } from '../../domain/requests/search.js';
import { type SearchHit, searchMessages, type SearchMessage, type SearchMessages } from '../../domain/views/search.js';
import type { RunPage } from '../../domain/views/run-page.js';
import { artifactsOf } from '../../operations/artifacts.js';
import { searchSteps, slicesOf } from '../../operations/pages/search.js';
import { storeSubmission } from '../../domain/run/stored-submission.js';
import { STEPS, storeSweep } from '../browser/rows.js';
import { seededRandom } from '../setup/random.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { type PageApp, pageApp } from '../setup/page-app.js';

let db: Database;
let app: PageApp;
let sweep: BatchSubmission;
let first: string;
const LONG = `${'€'.repeat(5000)}Needle%_\\ in the hay${'x'.repeat(90_000)}`;
beforeAll(async () => {
  const url = await sharedDatabases().createDatabase();
  db = openDatabase(url);
  sweep = await storeSweep(db);
  first = sweep.runs[0]!.runId;
  app = pageApp(db, url);
  await db.pool.query(`update steps set observation = $2 where run_id = $1 and step = 17`, [first, LONG]);
  await db.pool.query(`update steps set response = 'the reply ÄÖ', thought = '' where run_id = $1 and step = 5`, [
    first,
  ]);
  await db.pool.query(`update evaluations set message = 'NaN in the answers' where run_id = $1 and step = 20`, [first]);
  await db.store.addEvent({ runId: first, batchId: null, kind: 'sandbox_lost', key: 'k', detail: 'the engine died' });
});
afterAll(async () => {
  app.close();
  await db.close();
});

async function search(
  request: Partial<SearchRequest> & { q: string },
): Promise<{ hits: SearchHit[]; done: SearchMessages['done']; messages: SearchMessage[] }> {
  const messages: SearchMessage[] = [];
  const asked = searchRequestSchema.parse(request);
  for await (const message of searchSteps(app.bench, asked, new AbortController().signal)) {
    expect(searchMessages[message.event].safeParse(message.data).error?.issues ?? []).toEqual([]);
    messages.push(message);
  }
  const last = messages.at(-1)!;
  if (last.event !== 'done') throw new Error(`the last is ${last.event}`);
  return {
    hits: messages.flatMap((message) => (message.event === 'hits' ? message.data.hits : [])),
    done: last.data,
    messages,
  };
}
const places = (hits: readonly SearchHit[]) => hits.map(({ step, in: place }) => [step, place]);

describe('a search', () => {
  test('finds each text once, newest run first, in the order of steps', async () => {
    const { hits, done } = await search({ q: 'TRAIN.PY' });
    const { rows } = await db.pool.query<{ run_id: string; step: number }>(
      `select s.run_id, s.step from steps s join runs r on r.run_id = s.run_id where s.action like '%train.py%'
       order by r.created_at desc, r.run_id desc, s.step`,
    );
    expect(hits.map(({ runId, step }) => [runId, step])).toEqual(rows.map(({ run_id, step }) => [run_id, step]));
    expect(done).toMatchObject({
      runs: 12,
      totalRuns: 12,
      steps: 74,
      totalSteps: 74,
      hits: rows.length,
      skipped: 0,
      more: false,
    });
    const { rows: sizes } = await db.pool.query<{ bytes: number }>(
      `select sum(coalesce(octet_length(thought), 0) + coalesce(octet_length(action), 0) + coalesce(octet_length(observation), 0))::int as bytes from steps`,
    );
    expect(done.bytes).toBe(sizes[0]!.bytes);
    expect(sweep.runs.find(({ runId }) => runId === hits[0]!.runId)).toMatchObject({
      ...{ model: { name: hits[0]!.model }, task: { id: hits[0]!.task }, attempt: hits[0]!.attempt },
    });
  });

  test('shows what is around a match, and says what is left out', async () => {
    const { hits } = await search({ q: 'needle%_\\ IN', run: first });
    expect(places(hits)).toEqual([[17, 'observation']]);
    expect(hits[0]!.excerpt).toEqual({
      before: '€'.repeat(60),
      match: 'Needle%_\\ in',
      after: ` the hay${'x'.repeat(92)}`,
      at: 5000,
      length: LONG.length,
    });
  });

  test('takes quotes as exactly, and slashes as a pattern', async () => {
    const found = async (q: string): Promise<number> => (await search({ q, run: first })).hits.length;
    expect([await found('"Needle"'), await found('"needle"')]).toEqual([1, 0]);
    expect([await found('/needle/'), await found('/NEEDLE/i'), await found('/(N)(e+)dle.*hay/')]).toEqual([0, 1, 1]);
    expect(places((await search({ q: '/step 1[0-9]$/', run: first, in: ['thought'] })).hits)).toHaveLength(10);
    const { hits } = await search({ q: '/(old|whole) line/', run: first });
    expect(hits[0]!.excerpt?.match).toBe('whole line');
  });

  test('looks where it is told to', async () => {
    const where = async (q: string, more: Partial<SearchRequest> = {}) => places((await search({ q, ...more })).hits);
    expect(await where('NaN in')).toEqual([[20, 'evaluation']]);
    expect(await where('engine died')).toEqual([[null, 'event']]);
    expect(await where('engine died', { in: ['action'] })).toEqual([]);
    expect(await where('the reply')).toEqual([]);
    expect(await where('the reply', { in: ['reply'] })).toEqual([[5, 'reply']]);
    const { done } = await search({ q: 'train', model: ['alpha'], task: ['one'] });
    expect(done.totalRuns).toBe(2);
  });

  test('finds what was submitted: each content of a path once a run, at the step that had it first', async () => {
    const store = artifactsOf(app.bench);
    const submit = async (runId: string, step: number, files: Record<string, string | Buffer>): Promise<void> => {
      const listed = Object.entries(files).map(([path, bytes]) => ({ path, bytes: Buffer.from(bytes) }));
      await db.pool.query(`insert into submissions (run_id, step, kind, sha256) values ($1, $2, 'validate', $3)`, [
        ...[runId, step, await storeSubmission(store, listed)],
      ]);
    };
    const second = sweep.runs[1]!.runId;
    const code = 'import torch\nlr = 0.003\n';
    await submit(first, 10, { 'a.py': code, 'weights.bin': Buffer.from('lr = 0.003\0') });
    await submit(first, 20, { 'a.py': code, 'b.py': `${code}# LR = 0.003 again` });
    await submit(second, 2, { 'a.py': code, 'long.csv': 'lr = 0.003,'.repeat(200_000) });
    const found = async (q: string, more: Partial<SearchRequest> = {}) =>
      (await search({ q, in: ['file'], ...more })).hits.map(({ runId, step, path }) => [runId, step, path]);
    const ofFirst = [
      [first, 10, 'a.py'],
      [first, 20, 'b.py'],
    ];
    // Created at once, they come by id.
    const all = second > first ? [[second, 2, 'a.py'], ...ofFirst] : [...ofFirst, [second, 2, 'a.py']];
    expect(await found('LR = 0.003')).toEqual(all);
    expect(await found('/lr ?= ?[0-9.]+/')).toEqual(all);
    expect(await found('"LR = 0.003"')).toEqual([[first, 20, 'b.py']]);
    expect(await found('lr = 0.003', { run: first, limit: 1 })).toEqual([[first, 10, 'a.py']]);
    expect(await found('0.004')).toEqual([]);
    expect((await search({ q: 'import torch' })).hits).toEqual([]);
    const { hits } = await search({ q: '0.003', in: ['file'], run: second });
    expect(hits[0]!.excerpt).toEqual({
      before: 'import torch\nlr = ',
      match: '0.003',
      after: '\n',
      at: 18,
      length: 24,
    });
  });

  test('stops at its limit, and says that there is more', async () => {
    const { hits, done } = await search({ q: 'step', limit: 25 });
    expect([hits.length, done.hits, done.more]).toEqual([25, 25, true]);
    const exact = await search({
      q: 'thought of step',
      run: first,
      in: ['thought'],
      excerpts: false,
      limit: STEPS - 1,
    });
    expect([exact.done.more, exact.hits[0]!.excerpt]).toEqual([false, null]);
  });

  test('of a pattern that cannot be read says so before it begins', async () => {
    const response = await app.ask(`/search?q=${encodeURIComponent('/a(b/')}`);
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { code: 'request.invalid', message: 'the pattern cannot be read: parentheses () not balanced' } },
    ]);
    expect((await app.ask('/search?q=x&run=r-nothing')).status).toBe(404);
  });

  test('comes as a stream that ends with it, two at once', async () => {
    const response = await app.ask('/search?q=train&limit=3');
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const text = await response.text();
    expect([...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)).toEqual(['hits', 'done']);
    const open = await Promise.all([app.ask('/search?q=step'), app.ask('/search?q=step')]);
    expect((await app.ask('/search?q=step')).status).toBe(429);
    await open[0].body!.cancel();
    await open[1].text();
    expect((await app.ask('/search?q=step')).status).toBe(200);
  });

  test('that is given up ends in PostgreSQL', async () => {
    const leaving = new AbortController();
    // Backtracks for hours in one text: only the server itself can end it.
    await db.pool.query(`update steps set observation = repeat('a', 20000) || 'b' where run_id = $1 and step = 3`, [
      sweep.runs[11]!.runId,
    ]);
    const asked = searchRequestSchema.parse({ q: `/(a*)*\\1{3}(a*)*\\2{3}$c/`, run: sweep.runs[11]!.runId });
    const reading = (async () => {
      for await (const _ of searchSteps(app.bench, asked, leaving.signal));
    })();
    reading.catch(() => undefined);
    const active = async (): Promise<number> => {
      const { rows } = await db.pool.query<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
         and state = 'active' and query like '%texts as (%'`,
      );
      return rows[0]!.n;
    };
    // It may be over before it is seen; then there is nothing to end.
    for (let i = 0; i < 50 && (await active()) === 0; i++) await new Promise((resolve) => setTimeout(resolve, 20));
    leaving.abort();
    for (let i = 0; i < 500 && (await active()) > 0; i++) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await active()).toBe(0);
  });
});

test('slices hold each step of each run once, in order, and begin small', () => {
  for (const sizes of [[0, 3, 0, 20_000, 1, 499, 500, 501], Array.from({ length: 1000 }, () => 1), randomSizes()]) {
    const runs = sizes.map((steps, i) => ({ runId: `r${i}`, steps }));
    const slices = [...slicesOf(runs)];
    expect(slices.reduce((sum, { runs: n }) => sum + n, 0)).toBe(runs.length);
    expect(slices.reduce((sum, { steps }) => sum + steps, 0)).toBe(sizes.reduce((a, b) => a + b, 0));
    for (const { runId, steps } of runs) {
      const own = slices.filter(({ runIds }) => runIds.includes(runId));
      expect(own.filter(({ whole }) => whole)).toHaveLength(1);
      let next = 1;
      for (const { from, to } of own) {
        expect(from).toBe(next);
        next = to + 1;
      }
      expect(next).toBeGreaterThan(steps);
    }
    for (const { runIds, steps } of slices) {
      expect(runIds.length).toBeLessThanOrEqual(200);
      expect(steps).toBeLessThanOrEqual(500);
    }
  }
});
function randomSizes(): number[] {
  const random = seededRandom(7);
  return Array.from({ length: 200 }, () => Math.floor(random() * 900));
}

test('runs are found by what a step of theirs contains, with counts and pages of the same', async () => {
  const page: RunPage = await app.get('runs', '/runs?contains=needle');
  expect(page.runs.map(({ runId }) => runId)).toEqual([first]);
  expect(await app.get('runFacets', '/runs/facets?contains=needle')).toMatchObject({ total: 1 });
  const two: RunPage = await app.get('runs', '/runs?contains=train&limit=7&sort=model');
  const rest: RunPage = await app.get('runs', `/runs?contains=train&limit=7&sort=model&after=${two.next}`);
  expect([two.runs.length, rest.runs.length, rest.next]).toEqual([7, 5, null]);
  expect((await app.ask(`/runs?contains=${encodeURIComponent('/(/')}`)).status).toBe(400);
});
