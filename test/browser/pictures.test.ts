import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFileArtifactStore } from '../../backends/artifacts/file-artifact-store.js';
import { storeSubmission } from '../../domain/run/stored-submission.js';
import { type Database, openDatabase } from '../../db/index.js';
import type { BatchSubmission } from '../../domain/ports/record/batch-intake.js';
import { closeTabs, findChromium, sharedChromium } from '../setup/chromium.js';
import { PUBLISHED, publishedIsHere, publishedRuns, storePublishedRuns } from '../setup/published-runs.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { openPage, startPage, type PageServer } from '../setup/page-server.js';
import { MODELS, storeSweep } from './rows.js';

/** For people to look at; BENCH_TEST_PICTURES says where else. */
const OUT = process.env['BENCH_TEST_PICTURES'] ?? mkdtempSync(join(tmpdir(), 'bench-pictures-'));
const SIZES = [
  [1440, 900],
  [390, 844],
] as const;
const SCHEMES = ['light', 'dark'] as const;

const executable = await findChromium();
describe.runIf(executable !== null)('pictures of each page, in both schemes, on a desktop and on a phone', () => {
  let browser: Browser;
  const dbs: Database[] = [];
  const servers: PageServer[] = [];
  let sweep: BatchSubmission;
  let published: string | null = null;
  const served = async (fill: (db: Database, url: string) => Promise<void>): Promise<PageServer> => {
    const url = await sharedDatabases().createDatabase();
    const db = openDatabase(url);
    dbs.push(db);
    await fill(db, url);
    const server = await startPage(db, url);
    servers.push(server);
    return server;
  };
  let full: PageServer;
  let empty: PageServer;
  beforeAll(async () => {
    full = await served(async (db, url) => {
      sweep = await storeSweep(db);
      await db.pool.query(
        `update runs set status = 'running', end_reason = null, final_evaluation = null, exit_status = null, ended_at = null where run_id = $1`,
        [sweep.runs[11]!.runId],
      );
      await db.pool.query(`update batches set status = 'running', ended_at = null where batch_id = $1`, [
        sweep.batch.batchId,
      ]);
      if (!publishedIsHere) return;
      const { best_scores: best } = JSON.parse(readFileSync(join(PUBLISHED, 'expected-6-models.json'), 'utf8')) as {
        best_scores: Record<string, Record<string, number>>;
      };
      const sql = new pg.Client({ connectionString: url });
      await sql.connect();
      published = await storePublishedRuns(sql, publishedRuns(), (task) => best[task]?.['baseline'] ?? null);
      await sql.end();
    });
    empty = await served(() => Promise.resolve());
    browser = await sharedChromium(executable!);
    mkdirSync(OUT, { recursive: true });
    console.warn(`pictures are in ${OUT}`);
  });
  afterAll(async () => {
    await closeTabs(browser);
    for (const server of servers) await server.close();
    for (const db of dbs) await db.close();
  });

  const pages = (): [name: string, path: string][] => {
    const [run, live] = [sweep.runs[0]!.runId, sweep.runs[11]!.runId];
    return [
      ['now', '/'],
      ['batches', '/batches'],
      ['batch', `/batches/${sweep.batch.batchId}`],
      ...['spend', 'ends', 'events', 'submission'].map((tab): [string, string] => [
        `batch-${tab}`,
        `/batches/${sweep.batch.batchId}?tab=${tab}`,
      ]),
      ['runs', '/runs'],
      ['run', `/runs/${run}?step=7`],
      ['run-live', `/runs/${live}`],
      ...['scores', 'prompt', 'calls', 'files', 'events', 'setup'].map((tab): [string, string] => [
        `run-${tab}`,
        `/runs/${run}?tab=${tab}`,
      ]),
      ['present', `/runs/${run}/present`],
      ['leaderboard', '/leaderboard'],
      ['compare-none', '/compare'],
      ['compare', `/compare?runs=${run}&runs=${sweep.runs[1]!.runId}`],
      ['compare-models', `/compare?models=${MODELS[0]}&models=${MODELS[1]}`],
      ['ops', '/ops'],
      ['play', '/play'],
      ['integrity', '/integrity'],
      ['tasks', '/tasks'],
      ['task', '/tasks/one'],
      ['model', `/models/${MODELS[0]}`],
      ['episodes-none', '/episodes'],
      ['search', '/search?q=train'],
      ['sql', '/sql?q=select+1'],
      ...(published === null
        ? []
        : ([
            ['published-batch', `/batches/${published}`],
            ['published-runs', `/runs?batch=${published}`],
            ['published-leaderboard', `/leaderboard?batch=${published}`],
            ['published-task', '/tasks/blotto'],
            ['published-compare', '/compare?models=claude-35-sonnet-new&models=gpt-o1'],
          ] as [string, string][])),
    ];
  };

  test.each(SCHEMES.flatMap((scheme) => SIZES.map(([width, height]) => ({ scheme, width, height }))))(
    '$scheme, $width px: nothing is wider than the window',
    async ({ scheme, width, height }) => {
      const wide: string[] = [];
      const look = async (
        server: PageServer,
        state: string,
        list: readonly (readonly [string, string])[],
        cut = false,
      ) => {
        const tab = await openPage(browser, server, { viewport: { width, height }, colorScheme: scheme });
        if (cut)
          await tab.page.route('**/api/v1/**', (route) =>
            route.fulfill({
              status: 503,
              json: {
                error: {
                  type: 'services',
                  code: 'services.connection_lost',
                  message: 'PostgreSQL does not answer',
                  remedy: 'Look at `bench status`.',
                },
              },
            }),
          );
        for (const [name, path] of list) {
          if (cut) {
            await tab.page.goto(`${server.address}${path}`);
            await tab.page.locator('.state, h1').first().waitFor();
            await tab.page
              .locator('.state.failed')
              .first()
              .waitFor({ timeout: 30_000 })
              .catch(() => undefined);
          } else await tab.open(path);
          await tab.page.waitForTimeout(300);
          await tab.page.screenshot({ path: join(OUT, `${state}-${name}-${width}-${scheme}.png`) });
          const beyond = await tab.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
          if (beyond > 1) wide.push(`${state} ${name}: ${beyond} px`);
        }
        await tab.close();
      };
      await look(full, 'full', pages());
      await look(empty, 'empty', [
        ['now', '/'],
        ['batches', '/batches'],
        ['runs', '/runs'],
        ['leaderboard', '/leaderboard'],
        ['ops', '/ops'],
      ]);
      await look(
        full,
        'failing',
        [
          ['now', '/'],
          ['runs', '/runs'],
          ['run', `/runs/${sweep.runs[0]!.runId}`],
        ],
        true,
      );
      expect(wide).toEqual([]);
    },
  );

  test('which step made a score, and by which change: with the keyboard alone, then with the mouse alone', async () => {
    const third = sweep.runs[0]!.runId;
    const artifacts = createFileArtifactStore(join(full.home, 'artifacts'));
    for (const [step, text] of [
      [10, 'learn'],
      [20, 'learn harder'],
    ] as const) {
      const sha256 = await storeSubmission(artifacts, [{ path: 'answer.py', bytes: Buffer.from(`${text}\n`) }]);
      await dbs[0]!.pool.query(`insert into submissions (run_id, step, kind, sha256) values ($1, $2, 'validate', $3)`, [
        third,
        step,
        sha256,
      ]);
      await dbs[0]!.pool.query(`update evaluations set submission_sha256 = $3 where run_id = $1 and step = $2`, [
        third,
        step,
        sha256,
      ]);
    }
    const tab = await openPage(browser, full);
    const { page } = tab;
    const begun = Date.now();
    await tab.open(`/runs/${third}`);
    await page.keyboard.press(']');
    await page.locator('[data-step="10"]').getByText('1.25').first().waitFor();
    await page.keyboard.press(']');
    await page.locator('[data-step="20"]').getByText('2.5').first().waitFor();
    await page.keyboard.press('2');
    await page.getByRole('heading', { name: 'Score ladder' }).waitFor();
    await page.getByText('learn harder').first().waitFor();
    const keyboard = Date.now() - begun;
    const again = Date.now();
    await tab.open('/leaderboard');
    await tab.open(`/runs/${third}`);
    await page.getByRole('tab', { name: 'Scores' }).click();
    await page.getByRole('link', { name: /20/ }).first().click();
    await page.locator('[data-step="20"]').getByText('2.5').first().waitFor();
    console.warn(`by keys ${keyboard} ms, by mouse ${Date.now() - again} ms`);
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });
});
