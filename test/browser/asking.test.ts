import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BatchSubmission, type Database, openDatabase } from '../../db/index.js';
import { findChromium } from '../setup/chromium.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { openPage, startUi, type UiServer, until, type WatchedPage } from '../setup/ui-page.js';
import { storeSweep } from './rows.js';

const HOSTILE = '<img src=x onerror=alert(1)>';

// Pages on which people ask for what no page shows.
const executable = findChromium();
describe.runIf(executable !== null)('asking', () => {
  let db: Database;
  let ui: UiServer;
  let browser: Browser;
  let sweep: BatchSubmission;
  let first: string;
  let tab: WatchedPage;
  let page: Page;
  beforeAll(async () => {
    const url = await sharedDatabases().createDatabase();
    db = openDatabase(url);
    sweep = await storeSweep(db);
    first = sweep.runs[0]!.runId;
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
  const search = (): URLSearchParams => new URL(page.url()).searchParams;
  /** Queries that the page has sent. */
  const sent = (): string[] => {
    const queries: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/v1/sql')) queries.push((request.postDataJSON() as { query: string }).query);
    });
    return queries;
  };

  test('SQL: a link fills the editor, and runs only when a person says so', async () => {
    const queries = sent();
    const asked = `select run_id, batch_id, model_name, '${HOSTILE}' as hostile from runs order by ordinal`;
    await tab.open(`/sql?q=${encodeURIComponent(asked)}`);
    const editor = page.locator('.cm-content');
    await editor.waitFor();
    expect(await editor.innerText()).toBe(asked);
    await page.getByText('has not run').waitFor();
    expect(queries).toEqual([]);
    await page.getByRole('button', { name: /^Run/ }).click();
    await page.getByText('12 rows').waitFor();
    expect(queries).toEqual([asked]);
    const row = page.locator('[data-row="0"]');
    expect(await row.getByTitle(first).getAttribute('href')).toBe(`/runs/${first}`);
    expect(await row.getByTitle(sweep.batch.batchId).getAttribute('href')).toBe(`/batches/${sweep.batch.batchId}`);
    await row.getByText(HOSTILE).waitFor();
    expect(await page.locator('img').count()).toBe(0);
  });

  test('SQL: with the keyboard alone, completed from the schema, and refused with what to do', async () => {
    await tab.open('/sql');
    const editor = page.locator('.cm-content');
    await editor.waitFor();
    await page.getByText('run_scores').first().waitFor();
    await editor.focus();
    await page.keyboard.type('select * from run_sco');
    const option = page.locator('.cm-tooltip-autocomplete [role=option]', { hasText: 'run_scores' });
    await option.waitFor();
    // A list that has just come takes no key yet, or a fast typist's would choose from it.
    await page.waitForTimeout(200);
    await page.keyboard.press('Enter');
    await until(page, `document.querySelector('.cm-content').textContent === 'select * from run_scores'`);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('grid').waitFor();
    expect(search().get('q')).toBe('select * from run_scores');
    await editor.focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('delete from runs ');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Write one SELECT').waitFor();
  });

  test('SQL: an example is a click away, a row opens as a whole, a query that runs can be cancelled', async () => {
    const queries = sent();
    await tab.open('/sql');
    await page.locator('.cm-content').waitFor();
    await page.getByText('Queries to start from').click();
    await page.getByRole('button', { name: 'How did the runs of each model end?' }).click();
    await page.getByRole('button', { name: /^Run/ }).click();
    await page.locator('[data-row="0"]').click();
    await page.getByRole('dialog', { name: 'Row 1' }).getByText('alpha').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.cm-content').focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('select pg_sleep(600) ');
    await page.keyboard.press('Control+Enter');
    await page.getByText(/runs for \d+ s/).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled, in the database too').waitFor();
    expect(queries).toHaveLength(2);
    for (const end = Date.now() + 60_000; ;) {
      const { rows } = await db.pool.query(
        `select from pg_stat_activity where datname = current_database() and query like 'fetch forward%' and state = 'active'`,
      );
      if (rows.length === 0) break;
      expect(Date.now()).toBeLessThan(end);
    }
  });

  test('Search: where did anybody see this? A hit opens its step, with all hits of the run', async () => {
    await tab.open('/search');
    await page.getByRole('searchbox', { name: 'Text to find' }).fill('whole line of step 1');
    await page.keyboard.press('Enter');
    await page.getByText(/22 hits in 12 runs/).waitFor();
    expect(search().get('q')).toBe('whole line of step 1');
    const run = page.getByRole('region', { name: `Run ${first}` });
    expect(await run.locator('mark').first().innerText()).toBe('whole line of step 1');
    await run.getByRole('link', { name: 'step 10, observation' }).click();
    await page.waitForURL(`**/runs/${first}?*`);
    await page.locator('[data-step="10"].current').waitFor();
    await page.getByText(/11 hits in 11 steps/).waitFor();
    for (const step of ['11', '12']) {
      await page.keyboard.press('n');
      await until(page, `new URL(location.href).searchParams.get('step') === '${step}'`);
    }
    await page.keyboard.press('N');
    await until(page, `new URL(location.href).searchParams.get('step') === '11'`);
    await until(page, `CSS.highlights.get('find')?.size > 0`);
  });

  test('Run: Ctrl-F finds in steps that are not loaded; what cannot be read is said', async () => {
    await tab.open(`/runs/${first}`);
    await page.locator('[data-step="1"]').waitFor();
    await page.keyboard.press('Control+f');
    await page.keyboard.type('/step (29|30)$/');
    await page.keyboard.press('Enter');
    await page.getByText(/in 2 steps/).waitFor();
    await page.keyboard.press('n');
    await until(page, `new URL(location.href).searchParams.get('step') === '29'`);
    await page.keyboard.press('Control+f');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('/(/');
    await page.keyboard.press('Enter');
    await page.getByText('the pattern cannot be read').waitFor();
  });

  test('Runs: those one of whose steps contains a text, and where', async () => {
    await tab.open('/runs');
    await page.getByRole('searchbox', { name: /one of whose steps/ }).fill('--step 29');
    await page.keyboard.press('Enter');
    await page.getByText('1 run match').waitFor();
    await page.getByRole('link', { name: 'where?' }).click();
    await page.getByText(/1 hit in 1 run/).waitFor();
  });
});
