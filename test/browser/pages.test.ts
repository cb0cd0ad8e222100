import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BatchSubmission, type Database, openDatabase } from '../../db/index.js';
import { score, usd } from '../../report/numbers.js';
import { findChromium } from '../setup/chromium.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { openPage, startUi, type UiServer, until, type WatchedPage } from '../setup/ui-page.js';
import { MODELS, STEPS, storeSweep, TASKS } from './rows.js';
import { LONG } from '../setup/long.js';

// Tests are named after what people come to a page for.
const executable = findChromium();
describe.runIf(executable !== null)('the page', () => {
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
  const facts = async (): Promise<Record<string, string>> => {
    const told: Record<string, string> = {};
    for (const fact of await page.locator('.headline .fact').all())
      told[await fact.locator('dt').innerText()] = (await fact.locator('dd').innerText()).replace(/\s+/g, ' ');
    return told;
  };

  describe('Runs', () => {
    test('which runs are like this? A facet, a range and a text are in the address, and it reloads to itself', async () => {
      await tab.open('/runs');
      await page.getByText('12 runs').waitFor();
      await page.locator('.facet', { hasText: 'Model' }).getByLabel('beta').check();
      await page.getByText('4 runs match').waitFor();
      await page.locator('.facet', { hasText: 'Task' }).getByLabel('two').check();
      await page.getByText('2 runs match').waitFor();
      expect(search().getAll('model')).toEqual(['beta']);
      expect(search().getAll('task')).toEqual(['two']);
      await page.reload();
      await page.getByText('2 runs match').waitFor();
      expect(await page.getByRole('grid').locator('[data-row]').count()).toBe(2);
      await page.getByRole('button', { name: 'clear all' }).click();
      await page.getByText('12 runs').waitFor();
    });

    test('which are the best? A column orders them, the largest first', async () => {
      await tab.open('/runs');
      await page.getByRole('columnheader', { name: 'Cost' }).getByRole('button').click();
      await until(page, `document.querySelector('[aria-sort=descending]')?.textContent.startsWith('Cost')`);
      expect(search().get('sort')).toBe('-cost');
      const { runs } = (await ui.json('/runs?sort=-cost')) as { runs: { runId: string; costUsd: string }[] };
      const firstRow = page.locator('[data-row="0"]');
      await firstRow.getByTitle(runs[0]!.runId).waitFor();
      expect(await firstRow.innerText()).toContain(usd(Number(runs[0]!.costUsd)));
    });

    test('a row is told to readers of screens by its place among all', async () => {
      await tab.open('/runs');
      const grid = page.getByRole('grid');
      await until(page, `document.querySelector('[role=grid]')?.getAttribute('aria-rowcount') === '13'`);
      expect(await grid.locator('[data-row="3"]').getAttribute('aria-rowindex')).toBe('5');
    });
  });

  describe('Run', () => {
    test('what did the agent do, and what did it see?', async () => {
      await tab.open(`/runs/${first}`);
      const one = page.locator('[data-step="1"]');
      await one.getByText('thought of step 1', { exact: true }).waitFor();
      await one.getByText('python train.py --step 1', { exact: true }).waitFor();
      // What a carriage return went over is folded.
      await one.getByText('the whole line of step 1', { exact: true }).waitFor();
      expect(await one.getByText('output of step 1').count()).toBe(0);
    });

    test('why this score? Steps with a score and with an error are a key away, and the address says where one is', async () => {
      await tab.open(`/runs/${first}`);
      await page.locator('[data-step="1"]').waitFor();
      await page.keyboard.press(']');
      await until(page, `new URL(location.href).searchParams.get('step') === '10'`);
      await page.keyboard.press(']');
      await until(page, `new URL(location.href).searchParams.get('step') === '20'`);
      await page.locator('[data-step="20"].current').getByText('2.5').first().waitFor();
      await page.keyboard.press('[');
      await until(page, `new URL(location.href).searchParams.get('step') === '10'`);
      await page.keyboard.press('E');
      await until(page, `new URL(location.href).searchParams.get('step') === '7'`);
      await page.reload();
      await page.locator('[data-step="7"].current').getByText('thought of step 7', { exact: true }).waitFor();
    });

    test('the head has the numbers of the document', async () => {
      await tab.open(`/runs/${first}`);
      const { run } = (await ui.json(`/runs/${first}`)) as {
        run: { bestScore: number; finalScore: number; costUsd: string; steps: number; maxSteps: number };
      };
      const told = await facts();
      expect(told['score']).toContain(score(run.bestScore));
      expect(told['final']).toBe(score(run.finalScore));
      expect(told['cost']).toContain(usd(Number(run.costUsd)));
      expect(told['steps']).toBe(`${run.steps} of ${run.maxSteps}`);
    });

    test('how did the score move? Each evaluation with its step, drawn and in a table', async () => {
      await tab.open(`/runs/${first}?tab=scores`);
      const { evaluations } = (await ui.json(`/runs/${first}/evaluations`)) as {
        evaluations: { step: number; primary: number | null }[];
      };
      const rows = page.getByRole('region', { name: 'Evaluations' }).locator('tbody tr');
      expect(await rows.count()).toBe(evaluations.length);
      for (const [i, { step, primary }] of evaluations.entries()) {
        expect(await rows.nth(i).innerText()).toContain(`step ${step}`);
        expect(await rows.nth(i).innerText()).toContain(score(primary));
      }
      await page.locator('.chart svg path[stroke="var(--series-0)"]').first().waitFor({ state: 'attached' });
    });

    test.each(['prompt', 'calls', 'files', 'events', 'setup'])(
      '%s: says what there is, or that there is nothing',
      async (name) => {
        await tab.open(`/runs/${first}?tab=${name}`);
        const panel = page.getByRole('tabpanel');
        await until(
          page,
          `document.querySelector('[role=tabpanel]').textContent.trim().length > 20 && document.querySelector('.loading') === null`,
        );
        expect(await panel.getByText('This did not work').count()).toBe(0);
      },
    );

    test('only what matters: validates, errors, one category, as a list', async () => {
      await tab.open(`/runs/${first}?show=validates&density=list`);
      await page.locator('[data-step="10"]').waitFor();
      expect(
        await page
          .locator('[data-step]')
          .evaluateAll((all) =>
            all.map((one) => (one as unknown as { dataset: Record<string, string> }).dataset['step']),
          ),
      ).toEqual(['10', '20', String(STEPS)]);
      await tab.open(`/runs/${first}?show=errors`);
      await page.locator('[data-step="7"]').waitFor();
      expect(await page.locator('[data-step]').count()).toBe(1);
    });

    test('a short form of an id becomes the whole', async () => {
      await tab.open(`/runs/${first.slice(-8)}`);
      await page.waitForURL(`**/runs/${first}*`);
    });

    test('one that is not there says so, and what to do', async () => {
      await tab.open('/runs/r-nothing');
      await page.getByText('Not found').waitFor();
    });
  });

  describe('Batches and Batch', () => {
    test('which did I submit, how did they end?', async () => {
      await tab.open('/batches');
      await page.getByRole('link', { name: 'sweep' }).click();
      await page.getByRole('heading', { name: 'sweep', level: 1 }).waitFor();
      expect(new URL(page.url()).pathname).toBe(`/batches/${sweep.batch.batchId}`);
    });

    test('how good? The best of each model at each task, which opens its run', async () => {
      await tab.open(`/batches/${sweep.batch.batchId}`);
      const { cells } = (await ui.json(`/batches/${sweep.batch.batchId}/matrix`)) as {
        cells: { model: string; task: string; best: number | null; bestRun: string; ended: number; runs: number }[];
      };
      expect(cells).toHaveLength(MODELS.length * TASKS.length);
      for (const { model, task, best, bestRun, ended, runs } of cells) {
        const cell = page.locator('.matrix tbody tr', { hasText: model }).locator('td').nth(TASKS.indexOf(task));
        expect(await cell.locator('.cell-score').innerText()).toContain(best === null ? 'no score' : score(best));
        if (best !== null) expect(await cell.getByTitle(bestRun).getAttribute('href')).toBe(`/runs/${bestRun}`);
        expect(await cell.locator('.cell-runs').innerText()).toContain(`${ended}/${runs}`);
      }
    });

    test('how did its runs end?', async () => {
      await tab.open(`/batches/${sweep.batch.batchId}?tab=ends`);
      await page.getByRole('heading', { name: 'How runs ended' }).waitFor();
      const { exits } = (await ui.json(`/batches/${sweep.batch.batchId}`)) as { exits: { runs: number }[] };
      expect(await page.locator('table').first().locator('tbody tr').count()).toBe(exits.length);
    });

    test('what would an action do? It is counted first, and a viewer is not offered any', async () => {
      await tab.open(`/batches/${sweep.batch.batchId}`);
      const { role } = (await ui.json('/me')) as { role: string };
      expect(role).toBe('operator');
      await page.locator('.steering button', { hasText: 'Retry' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Do nothing' }).waitFor();
      await dialog.locator('.effects, .state').first().waitFor();
      await page.keyboard.press('Escape');
      await until(page, `document.querySelector('dialog') === null`);
      const viewer = await openPage(browser, { ...ui, token: ui.viewerToken });
      try {
        await viewer.open(`/batches/${sweep.batch.batchId}`);
        await viewer.page.getByText('viewer', { exact: true }).waitFor();
        expect(await viewer.page.locator('.steering').count()).toBe(0);
      } finally {
        await viewer.close();
      }
    });
  });

  test('Now: does anything need me?', async () => {
    await tab.open('/');
    await page.getByText('nothing needs you').waitFor();
    await page.getByRole('link', { name: 'sweep' }).waitFor();
  });

  test('Leaderboard: who is best, and on what evidence? Its figures are those of the command', async () => {
    const board = await db.queries.leaderboard({ resamples: 1000 });
    await tab.open('/leaderboard');
    const rows = page.getByRole('region', { name: 'Ranked models' }).locator('tbody tr');
    await rows.first().waitFor();
    for (const [i, row] of board.rows.entries()) {
      const words = await rows.nth(i).innerText();
      expect(words).toContain(row.model);
      expect(words).toContain(row.bestAup!.toFixed(3));
      for (const { task } of board.tasks) expect(words).toContain(score(row.scores[task]!.best));
    }
    await rows.first().getByRole('button').nth(1).click();
    const evidence = page.getByRole('dialog');
    await evidence
      .getByText(/counted$/)
      .first()
      .waitFor();
    expect(await evidence.locator('tbody tr').count()).toBe(2);
    expect(search().get('task')).not.toBeNull();
    await page.reload();
    await page.getByRole('dialog').locator('tbody tr').first().waitFor();
  });

  test('Compare: where did two runs part, and does that explain the score?', async () => {
    const [a, b] = [sweep.runs[0]!.runId, sweep.runs[1]!.runId];
    await tab.open(`/compare?runs=${a}&runs=${b}`);
    await page.getByText('First divergence').waitFor();
    expect(await page.locator('.differs').allInnerTexts()).toContainEqual(expect.stringContaining('seed'));
    await page.locator('.pair').getByText('thought of step', { exact: false }).first().waitFor();
  });

  test('Present: a run at its pace, step by step', async () => {
    await tab.open(`/runs/${first}/present?step=19`);
    await page.getByText('thought of step 19', { exact: true }).waitFor();
    await page.keyboard.press('l');
    await page.getByText('It validates: 2.5').waitFor();
    expect(search().get('step')).toBe('20');
  });

  test('Operations: does the fleet work?', async () => {
    await tab.open('/ops');
    await page.getByRole('heading', { name: 'Hosts' }).waitFor();
    await page.getByText('No host is registered').waitFor();
  });

  test('with the keyboard alone: from the start to the step of a given score', async () => {
    const { runs } = (await ui.json('/runs?sort=-createdAt')) as { runs: { runId: string }[] };
    await tab.open('/');
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.locator('[data-row="0"]').waitFor();
    const downs = runs.findIndex(({ runId }) => runId === first);
    for (let i = 0; i <= downs; i++) {
      await page.keyboard.press('j');
      await until(page, `document.activeElement?.getAttribute('data-row') === '${i}'`);
    }
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/runs/${first}*`);
    await page.locator('[data-step="1"]').waitFor();
    for (const step of ['10', '20']) {
      await page.keyboard.press(']');
      await until(page, `new URL(location.href).searchParams.get('step') === '${step}'`);
    }
    await page.locator('[data-step="20"].current').getByText('2.5').first().waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to' }).fill('sweep');
    await page.getByRole('option', { name: 'sweep' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'sweep', level: 1 }).waitFor();
  });

  test('without a token nothing is shown but how to get one', async () => {
    const stranger = await openPage(browser, { ...ui, token: 'wrong' });
    try {
      await stranger.page.goto(`${ui.address}/runs`);
      await stranger.page.getByText('A token is needed').first().waitFor();
      expect(await stranger.page.getByText('alpha').count()).toBe(0);
      await stranger.page.locator('input[name=token]').first().fill(`${ui.address}/#token=${ui.token}`);
      await stranger.page.getByRole('button', { name: 'Use it' }).first().click();
      await stranger.page.getByText('12 runs').waitFor();
    } finally {
      await stranger.close();
    }
  });

  describe('for everybody', () => {
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    const pages = (): [string, string][] => [
      ['Now', '/'],
      ['Batches', '/batches'],
      ['Batch', `/batches/${sweep.batch.batchId}`],
      ['Batch, spend', `/batches/${sweep.batch.batchId}?tab=spend`],
      ['Batch, ends', `/batches/${sweep.batch.batchId}?tab=ends`],
      ['Runs', '/runs'],
      ['Runs, none', '/runs?text=nothing-has-this'],
      ['Run', `/runs/${first}`],
      ['Run, list', `/runs/${first}?density=list`],
      ['Run, scores', `/runs/${first}?tab=scores`],
      ['Run, setup', `/runs/${first}?tab=setup`],
      ['Run, calls', `/runs/${first}?tab=calls`],
      ['Run, missing', '/runs/r-nothing'],
      ['Leaderboard', '/leaderboard'],
      ['Compare', `/compare?runs=${first}&runs=${sweep.runs[1]!.runId}`],
      ['Present', `/runs/${first}/present`],
      ['Operations', '/ops'],
      ['Integrity', '/integrity'],
      ['Tasks', '/tasks'],
      ['Task', '/tasks/one'],
      ['Models', '/models'],
      ['Model', '/models/alpha'],
      ['Agent', '/agents/default'],
      ['Episodes, none', '/episodes'],
      ['SQL', '/sql?q=select+1'],
      ['Search, none', '/search'],
      ['Search', '/search?q=train'],
      ['Run, find', `/runs/${first}?find=whole+line`],
    ];
    test.each(LONG ? (['light', 'dark'] as const) : (['dark'] as const))(
      'axe finds nothing on any page, %s; nothing is wider than a phone',
      async (colorScheme) => {
        const own = await openPage(browser, ui, { colorScheme });
        try {
          const found: string[] = [];
          for (const [name, path] of pages()) {
            await own.page.setViewportSize({ width: 1440, height: 900 });
            await own.open(path);
            // The page's policy lets no script in; a debugger's evaluation stands outside of it.
            await own.page.evaluate(axe);
            const violations = await own.page.evaluate<string[]>(
              `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html, failureSummary }) => html.slice(0, 160) + ' ' + failureSummary).join(' | ')))`,
            );
            found.push(...violations.map((violation) => `${name}: ${violation}`));
            await own.page.setViewportSize({ width: 390, height: 844 });
            const overflow = Number(
              await own.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
            );
            if (overflow > 0) found.push(`${name}: ${overflow} pixels wider than a phone`);
          }
          expect(found).toEqual([]);
          expect(own.complaints).toEqual([]);
        } finally {
          await own.close();
        }
      },
    );
  });
});
