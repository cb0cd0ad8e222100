import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LONG } from '../setup/long.js';
import { type Database, openDatabase } from '../../db/index.js';
import type { BatchSubmission } from '../../domain/ports/record/batch-intake.js';
import { closeTabs, findChromium, sharedChromium } from '../setup/chromium.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { openPage, startPage, type PageServer, type WatchedPage } from '../setup/page-server.js';
import { storeSweep } from './rows.js';

/** Hostile text: markup, handlers, scripts, templates, terminal sequences, hidden characters. */
const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(2)</script>',
  '<svg/onload=alert(3)>',
  "' onmouseover=alert(4) '",
  'javascript:alert(5)',
  '{{constructor.constructor("alert(6)")()}}',
  '<style>*{background:url(http://evil.example/)}</style>',
  '<a href="http://evil.example/">x</a>',
  '</textarea><iframe src="http://evil.example/">',
  '\u202Egnp.exe\u202C \u200B\u200B \u{E0069}\u{E0067}',
  '\u001B]8;;http://evil.example/\u0007link\u001B]8;;\u0007 \u001B]52;c;YWJj\u0007 \u001B[31mred',
  'e' + '\u0300'.repeat(2_000),
].join(' ');

/** Columns with our own words, ids, hashes or times; others wrote the rest. */
const OURS =
  /(^|_)(id|hash|sha256|status|kind|reason|backend|isolation|origin|direction|split|requested|digest|role|spec|state|token|phase|outcome|rule|provider|primary_metric|evaluator_version|image|key)$/;

const executable = await findChromium();
describe.runIf(executable !== null)('text of agents and strangers', () => {
  let db: Database;
  let server: PageServer;
  let browser: Browser;
  let sweep: BatchSubmission;
  let tab: WatchedPage;
  const changed: string[] = [];
  beforeAll(async () => {
    const url = await sharedDatabases().createDatabase();
    db = openDatabase(url);
    sweep = await storeSweep(db);
    const run = sweep.runs[0]!.runId;
    await db.pool.query(
      `insert into events (run_id, batch_id, kind, key, detail) values ($1, $2, 'command_lost', 'k', 'x')`,
      [run, sweep.batch.batchId],
    );
    await db.pool.query(
      `insert into integrity_flags (run_id, rule, step, detail, version) values ($1, 'beyond_bounds', 3, 'x', 1)`,
      [run],
    );
    await db.pool.query(
      `update evaluations set metrics = jsonb_build_object('score', primary_score, $1::text, 1) where metrics is not null`,
      [HOSTILE],
    );
    const { rows } = await db.pool.query<{ table_name: string; column_name: string }>(
      `select c.table_name, c.column_name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
       where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type = 'text' order by 1, 2`,
    );
    for (const { table_name: table, column_name: column } of rows) {
      if (OURS.test(column)) continue;
      // Some are bound by a rule of the schema: there nobody writes what they like.
      const done = await db.pool
        .query(`update ${table} set ${column} = $1 || coalesce(' ' || ${column}, '')`, [HOSTILE])
        .then(
          ({ rowCount }) => (rowCount ?? 0) > 0,
          () => false,
        );
      if (done) changed.push(`${table}.${column}`);
    }
    server = await startPage(db, url);
    browser = await sharedChromium(executable!);
    tab = await openPage(browser, server);
  });
  afterAll(async () => {
    await closeTabs(browser);
    await server?.close();
    await db?.close();
  });

  test('stands in every text column that others write', () => {
    expect(changed).toEqual(
      expect.arrayContaining([
        ...[
          'runs.model_name',
          'runs.provider_model',
          'runs.detail',
          'batches.name',
          'events.detail',
          'integrity_flags.detail',
        ],
        ...[
          'steps.response',
          'steps.thought',
          'steps.action',
          'steps.observation',
          'steps.working_dir',
          'evaluations.message',
        ],
      ]),
    );
  });

  const pages: [name: string, path: () => string, often?: 'often'][] = [
    ['Now', () => '/'],
    ['Batches', () => '/batches'],
    ['Batch', () => `/batches/${sweep.batch.batchId}`],
    ['its ends', () => `/batches/${sweep.batch.batchId}?tab=ends`],
    ['its events', () => `/batches/${sweep.batch.batchId}?tab=events`, 'often'],
    ['its submission', () => `/batches/${sweep.batch.batchId}?tab=submission`],
    ['Runs', () => '/runs'],
    [
      'Runs, every column',
      () =>
        `/runs?${['model', 'task', 'batch', 'agent', 'host', 'detail', 'flags', 'best'].map((name) => `columns=${name}`).join('&')}`,
      'often',
    ],
    ['Run', () => `/runs/${sweep.runs[0]!.runId}`],
    ['Run, in full', () => `/runs/${sweep.runs[0]!.runId}?density=full&step=20`, 'often'],
    ...['scores', 'prompt', 'calls', 'files', 'events', 'setup'].map((name): (typeof pages)[number] => [
      `its ${name}`,
      () => `/runs/${sweep.runs[0]!.runId}?tab=${name}`,
      'often',
    ]),
    ['Leaderboard', () => '/leaderboard', 'often'],
    ['Compare', () => `/compare?runs=${sweep.runs[0]!.runId}&runs=${sweep.runs[1]!.runId}`],
    ['Present', () => `/runs/${sweep.runs[0]!.runId}/present`],
    ['Operations', () => '/ops'],
    ['Integrity', () => '/integrity', 'often'],
    ['Tasks', () => '/tasks'],
    ['Task', () => '/tasks/one'],
    ['Models', () => '/models'],
    ['Search', () => '/search?q=onerror', 'often'],
    ['SQL', () => '/sql'],
  ];
  // The ordinary suite opens the pages that show most of others' texts.
  test.each(pages.filter(([, , often]) => LONG || often !== undefined))(
    'does nothing on %s: no violation, no dialog, no request elsewhere, no element of theirs',
    async (_, path) => {
      await tab.open(path());
      const page = tab.page;
      // Names appear in titles and menus, too: they are moved over.
      for (const place of (await page.locator('main a, main button, main [title]').all()).slice(0, 8))
        await place.hover({ force: true, timeout: 2_000 }).catch(() => undefined);
      const theirs: unknown = await page.evaluate(`({
      elements: document.querySelectorAll('main img:not([src^="blob:"]), main iframe, main script, main style, main [onload], main [onerror], main [onmouseover]').length
        + [...document.querySelectorAll('main a[href]')].filter(({ origin }) => origin !== location.origin).length,
      raw: /[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u200b]/.test(document.querySelector('main').textContent),
    })`);
      expect(theirs).toEqual({ elements: 0, raw: false });
      expect(tab.complaints).toEqual([]);
    },
  );

  test('is read as it is: what an agent wrote, letter for letter, and what it hid', async () => {
    await tab.open(`/runs/${sweep.runs[0]!.runId}`);
    const step = tab.page.locator('[data-step="1"]');
    await step.getByText('<img src=x onerror=alert(1)> "><script>alert(2)</script>').first().waitFor();
    await step.locator('.hidden-box', { hasText: 'RLO' }).first().waitFor();
    await step.locator('.hidden-box', { hasText: 'TAGS “ig”' }).first().waitFor();
    // A link of a terminal's is its text, and said to have been dropped.
    await step
      .getByText(/terminal sequences? dropped/)
      .first()
      .waitFor();
  });

  test('is saved so that a spreadsheet runs nothing of it', async () => {
    await db.pool.query(`update runs set detail = '=HYPERLINK("http://evil.example/")'`);
    await tab.open('/runs');
    const [download] = await Promise.all([
      tab.page.waitForEvent('download'),
      tab.page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    const csv = Buffer.concat(chunks).toString('utf8');
    expect(csv).toContain(`'=HYPERLINK`);
    expect(csv).not.toMatch(/(^|,)"?=HYPERLINK/m);
  });
});
