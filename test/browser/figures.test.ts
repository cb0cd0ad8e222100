import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BatchSubmission, type Database, openDatabase } from '../../db/index.js';
import { score } from '../../report/numbers.js';
import { findChromium } from '../setup/chromium.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { openPage, startUi, type UiServer, until, type WatchedPage } from '../setup/ui-page.js';
import { makeEpisodes, storeEpisodes } from '../sql/training-episodes.js';
import { storeSweep } from './rows.js';

// Episodes, integrity, and what was played.
const executable = findChromium();
describe.runIf(executable !== null)('figures', () => {
  let db: Database;
  let ui: UiServer;
  let browser: Browser;
  let sweep: BatchSubmission;
  let training: string;
  let tab: WatchedPage;
  let page: Page;
  beforeAll(async () => {
    const url = await sharedDatabases().createDatabase();
    db = openDatabase(url);
    sweep = await storeSweep(db);
    training = await storeEpisodes(db, 'training', makeEpisodes(1, 40));
    await db.pool.query(
      `insert into integrity_marks (run_id, rule, step, detail, version) values ($1, 'protected_write', 3, 'wrote evaluate.py', 1)`,
      [sweep.runs[0]!.runId],
    );
    ui = await startUi(db, url);
    browser = await chromium.launch({ executablePath: executable!, args: ['--no-sandbox'], timeout: 300_000 });
    tab = await openPage(browser, ui);
    page = tab.page;
  });
  afterAll(async () => {
    await browser?.close();
    await ui?.close();
    await db?.close();
    expect(tab.complaints).toEqual([]);
  });

  test('Episodes: does the policy learn? Curves, groups without spread, and the episodes of a group', async () => {
    const policies = await db.queries.policyMetrics(training);
    await tab.open('/episodes');
    const rows = page.getByRole('region', { name: 'Policy versions' }).locator('tbody tr');
    expect(await rows.count()).toBe(policies.length);
    for (const [i, { policy_version: version, reward, episodes }] of policies.entries()) {
      const cells = await rows.nth(i).locator('td').allInnerTexts();
      expect(cells.slice(0, 2)).toEqual([String(version ?? 'none'), String(episodes)]);
      expect(cells[3]).toBe(reward === null ? '–' : score(reward));
    }
    await page.locator('.chart svg path').first().waitFor({ state: 'attached' });
    await page.getByRole('tab', { name: 'Groups' }).click();
    const groups = await db.queries.groupMetrics(training);
    const listed = page.getByRole('region', { name: 'Groups' }).locator('tbody tr');
    await listed.first().waitFor();
    expect(await listed.count()).toBe(groups.length);
    expect(await listed.getByText('no spread').count()).toBe(groups.filter((one) => one.zero_spread === true).length);
    const named = groups.find(({ group }) => group !== null)!;
    await listed.getByRole('button', { name: named.group!, exact: true }).first().click();
    await page.getByRole('grid').locator('[data-row="0"]').waitFor();
    expect(new URL(page.url()).searchParams.get('group')).toBe(named.group);
    await page.locator('[data-row="0"]').click();
    await page.waitForURL('**/runs/r-*');
  });

  test('Integrity: which numbers must I not believe? A mark opens at the step that fired it', async () => {
    await tab.open('/integrity');
    await page.getByText('wrote evaluate.py').waitFor();
    await page.getByText('python train.py --step 3').waitFor();
    await page.getByRole('region', { name: 'By rule' }).getByLabel('protected write').check();
    await until(page, `new URL(location.href).searchParams.get('rule') === 'protected_write'`);
    await page.getByRole('link', { name: 'step 3' }).click();
    await page.locator('[data-step="3"].current').waitFor();
  });

  test('Tasks, models, agents: who has done it how well?', async () => {
    await tab.open('/tasks');
    await page.getByRole('link', { name: 'one', exact: true }).click();
    await page.getByRole('heading', { name: 'one', level: 1 }).waitFor();
    const board = await db.queries.leaderboard({ resamples: 0 });
    const table = page.getByRole('region', { name: 'What came of its runs' });
    await table.waitFor();
    for (const { model, scores } of board.rows) {
      const row = table.locator('tbody tr', { has: page.getByRole('link', { name: model, exact: true }) });
      await row.getByTitle(scores['one']!.bestRun!).getByText(score(scores['one']!.best)).waitFor();
    }
    await table.getByRole('link', { name: 'beta', exact: true }).click();
    await page.getByRole('heading', { name: 'beta', level: 1 }).waitFor();
    await page.getByRole('navigation', { name: 'What was played' }).getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('link', { name: 'default', exact: true }).click();
    await page
      .getByText(/contract|first/)
      .first()
      .waitFor();
  });
});
