import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import type { BatchSubmission } from '../../domain/ports/record/batch-intake.js';
import { pageExportRequestSchema } from '../../domain/requests/page.js';
import { formatScore } from '../../domain/text/format.js';
import { exportPage } from '../../web/server/export/export-page.js';
import { closeTabs, findChromium, sharedChromium } from '../setup/chromium.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { pageBench, until } from '../setup/page-server.js';
import { STEPS, storeSweep } from './rows.js';
import { LONG } from '../setup/long.js';

const KEY = `sk-ant-${'a1B2'.repeat(8)}`;
const executable = await findChromium();
describe.runIf(executable !== null)('an exported page', () => {
  let db: Database;
  let sweep: BatchSubmission;
  let bench: ReturnType<typeof pageBench>;
  let browser: Browser;
  let page: Page;
  let out: string;
  let first: string;
  const complaints: string[] = [];
  const exported = (more: Record<string, unknown>) =>
    exportPage(bench.bench, pageExportRequestSchema.parse({ what: [sweep.batch.batchId], ...more }));
  beforeAll(async () => {
    const url = await sharedDatabases().createDatabase();
    db = openDatabase(url);
    sweep = await storeSweep(db);
    first = sweep.runs[0]!.runId;
    // Longer than what a page is given at once.
    await db.pool.query(
      `update steps set observation = repeat('x', 3000) || 'secret-7777' || repeat('y', 9000) where run_id = $1 and step = 2`,
      [first],
    );
    bench = pageBench(db, url);
    out = mkdtempSync(join(tmpdir(), 'bench-export-'));
    browser = await sharedChromium(executable!);
    page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
    await page.addInitScript(
      `addEventListener('securitypolicyviolation', (event) => console.error('violation of ' + event.violatedDirective + ' ' + event.sample))`,
    );
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
    page.on('request', (request) => {
      if (!/^(file|data|blob):/.test(request.url())) complaints.push(`request to ${request.url()}`);
    });
  });
  afterAll(async () => {
    await closeTabs(browser);
    await db?.close();
    for (const folder of [out, bench?.home]) rmSync(folder, { recursive: true, force: true });
    expect(complaints).toEqual([]);
  });
  const open = async (path: string, file = 'a/index.html'): Promise<void> => {
    await page.goto('about:blank');
    await page.goto(`${pathToFileURL(join(out, file)).href}#${path}`);
    await page.locator('h1, .state').first().waitFor();
    await until(page, `document.querySelector('.loading, .step-ghost') === null`);
  };

  test('is the same, byte for byte, of the same rows, and lists what it holds', async () => {
    const written = await exported({ output: join(out, 'a') });
    await exported({ output: join(out, 'b') });
    const [a, b] = ['a', 'b'].map((name) => readFileSync(join(out, name, 'manifest.json'), 'utf8'));
    expect(a).toBe(b);
    const { files } = JSON.parse(a!) as { files: Record<string, string> };
    expect(Object.keys(files)).toHaveLength(written.files - 1);
    for (const [name, hash] of Object.entries(files))
      for (const folder of ['a', 'b'])
        expect(
          createHash('sha256')
            .update(readFileSync(join(out, folder, name)))
            .digest('hex'),
        ).toBe(hash);
    // It takes the place of an earlier one, and of nothing else.
    await exported({ output: join(out, 'b') });
    await expect(exported({ output: out })).rejects.toThrow('contains other files');
  });

  test('opens from disk: what is in it, its batch, its runs by filters, and a run by its steps', async () => {
    await open('/');
    await page.getByRole('link', { name: '12 runs' }).click();
    await page.locator('.facet', { hasText: 'Model' }).getByLabel('beta').check();
    await page.getByText('4 runs match').waitFor();
    await expect.poll(() => page.getByRole('grid').locator('[data-row]').count()).toBe(4);
    expect(page.url()).toContain('#/runs?model=beta');
    await open('/batches');
    await page.getByRole('link', { name: 'sweep' }).first().click();
    await page.getByRole('heading', { name: 'sweep' }).waitFor();
    await open(`/runs/${first.slice(-8)}?step=${STEPS}`);
    await page.locator(`[data-step="${STEPS}"]`).getByText(`thought of step ${STEPS}`).waitFor();
    await page.keyboard.press('1');
    await open(`/runs/${first}?step=2`);
    await page.locator('[data-step="2"]').getByRole('button', { name: 'show all' }).click();
    await page.locator('[data-step="2"]').getByText('y'.repeat(200)).first().waitFor();
    for (const tab of ['scores', 'calls', 'files', 'events', 'setup']) {
      await open(`/runs/${first}?tab=${tab}`);
      expect(await page.locator('.state.failed').count(), tab).toBe(0);
    }
    expect(complaints).toEqual([]);
  });

  test('ranks as the leaderboard does, with the runs behind each figure', async () => {
    await open('/leaderboard');
    await page.getByRole('row', { name: /alpha/ }).first().waitFor();
    const { rows } = await (
      await import('../../operations/results/leaderboard.js')
    ).leaderboard(bench.bench, {
      batch: sweep.batch.batchId,
    });
    const shown = await page.locator('main').innerText();
    for (const { model } of rows) expect(shown).toContain(model);
    await open(`/leaderboard?model=${rows[0]!.model}&kind=real&isolation=container&task=one`);
    const figure = rows[0]!.scores['one']!;
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`Best attempt ${formatScore(figure.best)}`).waitFor();
    await expect.poll(() => dialog.locator('tbody tr').count()).toBe(2);
  });

  test('is one file that opens by itself', async () => {
    await exported({ what: [first], output: undefined, single: join(out, 'run.html') });
    await open(`/runs/${first}`, 'run.html');
    await page.locator('[data-step="1"]').getByText('thought of step 1').waitFor();
    expect(complaints).toEqual([]);
  });

  test.runIf(LONG)(
    'leaves out what commands printed, and takes out what patterns fit, also where a text is cut',
    async () => {
      await exported({ what: [first], output: join(out, 'bare'), observations: false });
      await open(`/runs/${first}`, 'bare/index.html');
      await page.locator('[data-step="1"]').getByText('is not part of this export').waitFor();
      await db.pool.query(
        `update steps set observation = repeat('x', 2042) || 'secret-7777' || repeat('y', 9000) where run_id = $1 and step = 2`,
        [first],
      );
      const patterns = join(out, 'patterns.txt');
      writeFileSync(patterns, '# numbers of theirs\nsecret-\\d+\n');
      const { redacted } = await exported({ what: [first], output: join(out, 'clean'), redact: patterns });
      expect(redacted).toBeGreaterThan(0);
      await open(`/runs/${first}?step=2`, 'clean/index.html');
      const step = page.locator('[data-step="2"]');
      await step.getByText('[redac').first().waitFor();
      expect(await step.innerText()).not.toContain('secret-');
    },
  );

  test('is not written with a key in it, unless somebody says so', async () => {
    await db.pool.query(
      `update steps set observation = E'line\\n' || $2 || E'\\nline' where run_id = $1 and step = 3`,
      [first, KEY],
    );
    const output = join(out, 'keys');
    await expect(exported({ output })).rejects.toThrow('a key of Anthropic');
    expect((await exported({ output, allowSecrets: true })).runs).toBe(12);
  });
});
