import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
// playwright-core: drives the browser that the machine has, and brings none.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { Command } from 'commander';
import { register } from '../../cli/commands/report.js';
import type { CliContext } from '../../cli/context.js';
import { writeReport } from '../../report/index.js';
import { findChromium, startChromium } from '../setup/chromium.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { evaluate, run, submission, SUBMITTED, task } from '../fixtures/rows.js';
import type { Leaderboard } from '../../domain/views/leaderboard.js';
import type { ReportRun } from '../../domain/views/report.js';

const HOSTILE = '<img src=x onerror=alert(1)>';
const server = sharedDatabases();
let db: Database;
let board: Leaderboard;
let runs: ReportRun[];
let page: string;
const dir = mkdtempSync(join(tmpdir(), 'bench-report-'));

beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
  const tasks = ['one', 'two'].map((id) => task(id, 'maximize', { baseline: { value: 1, standardError: 0 } }));
  const real = (name: string) => ({ name, kind: 'real' as const, provider: 'openai', model: name });
  const batch = submission('crafted', (batchId) => [
    ...['alpha', HOSTILE].flatMap((model) =>
      tasks.flatMap((spec) => [1, 2].map((attempt) => ({ ...run(batchId, spec, model, attempt), model: real(model) }))),
    ),
    run(batchId, tasks[0]!, 'scripted:slow', 1),
  ]);
  await db.intake.submit(batch);
  for (const [i, { runId }] of batch.runs.entries()) {
    const suspect = i === 1;
    await evaluate(db, runId, 1, 'validate', 2 + (i % 3), { isolation: 'container' });
    await evaluate(db, runId, 2, 'submit', suspect ? 1000 : 1.5 + (i % 4), { isolation: 'container', suspect });
    await db.store.finishRun(runId, SUBMITTED);
  }
  // What calls of a provider and steps would have written.
  await db.pool.query(`update runs set isolation = 'container', cost_usd = 0.01 * (1 + ordinal), input_tokens = 5000`);
  await db.pool.query(
    `insert into steps (run_id, step, response, thought, action)
     select run_id, 1, '', '', 'python train.py' from runs union all select run_id, 2, '', '', 'submit' from runs`,
  );
  board = await db.queries.leaderboard({ resamples: 100 });
  const found = await db.queries.reportRuns(board);
  runs = found.runs;
  page = join(dir, 'report.html');
  writeFileSync(
    page,
    writeReport.html({
      ...{
        subject: 'Batch crafted',
        generatedAt: '2026-01-01T00:00:00.000Z',
        harnessVersion: '0',
        over: 'tasks',
        training: null,
      },
      ...{ board, ...found },
    }),
  );
});
afterAll(async () => {
  rmSync(dir, { recursive: true, force: true });
  await db.close();
});

test('the runs of a report are those that the leaderboard counts', () => {
  expect(runs).toHaveLength(9);
  for (const row of board.rows)
    for (const [id, cell] of Object.entries(row.scores)) {
      const own = runs.filter((one) => one.model === row.model && one.task === id);
      expect(own).toHaveLength(cell.attempts);
      expect(own.filter(({ counted }) => counted)).toHaveLength(cell.counted);
      if (cell.bestRun !== null) expect(own.find(({ runId }) => runId === cell.bestRun)?.best).toBe(cell.best);
    }
});

test('with a k, no more runs count than the leaderboard takes', async () => {
  const first = await db.queries.leaderboard({ k: 1 });
  const found = await db.queries.reportRuns(first);
  expect(found.runs.filter(({ counted }) => counted)).toHaveLength(5);
  expect(found.actions.filter(({ model }) => model === 'alpha')).toEqual(
    ['Python', 'Submit'].map((category) => expect.objectContaining({ category, steps: 2 }) as unknown),
  );
});

describe('bench report', () => {
  /** What the command printed raw, and its JSON. */
  async function report(...args: string[]): Promise<{ raw: string; json: unknown }> {
    const told = { raw: '', json: undefined as unknown };
    const output = {
      jsonMode: false,
      print: () => undefined,
      data: (text: string) => (told.raw += text),
      json: (document: unknown) => (told.json = document),
    };
    const root = join(import.meta.dirname, '../..');
    const program = new Command().exitOverride();
    register(program, {
      settings: { assetsRoot: root, configFolders: [join(root, 'configs')] },
      output,
      ...db,
      database: () => Promise.resolve(db),
    } as unknown as CliContext);
    await program.parseAsync(['node', 'bench', 'report', ...args, '--resamples', '100']);
    return told;
  }

  test('writes the format that the name of the file says, whole, over what was there', async () => {
    const file = join(dir, 'own', 'out.md');
    await expect(report('crafted', '-o', file)).rejects.toThrow('there is no folder');
    const here = join(dir, 'out.md');
    writeFileSync(here, 'old');
    const { json } = await report('crafted', '-o', here);
    expect(json).toMatchObject({ file: here, format: 'md', rows: 3, runs: 9 });
    expect(readFileSync(here, 'utf8')).toMatch(/^# Batch crafted\n/);
    expect(readdirSync(dir).filter((name) => name.startsWith('.'))).toEqual([]);
    expect(existsSync(file)).toBe(false);
  });

  test('writes to stdout, and reports a saved comparison, which no option may change', async () => {
    const { raw } = await report('--format', 'csv', '-o', '-', '--include-scripted');
    expect(raw.trim().split('\n')).toHaveLength(1 + 2 * 3);
    const of = { models: ['alpha'], tasks: ['one'], contracts: { one: 1 }, baselines: { one: null }, axis: 1 };
    await db.comparisons.save('spring', of);
    expect((await report('spring', '-o', '-', '--format', 'md')).raw).toMatch(/^# Comparison spring\n/);
    await expect(report('spring', '--k', '1')).rejects.toThrow('omit k');
    await expect(report('nothing')).rejects.toThrow('nothing');
  });
});

const executable = await findChromium();
describe.runIf(executable !== null)('the page in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium(executable!);
  });
  afterAll(() => browser.close());

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const)('%s, %i pixels wide: whole, quiet, offline, in its width', async (colorScheme, width) => {
    const context = await browser.newContext({ offline: true, colorScheme, viewport: { width, height: 844 } });
    try {
      context.setDefaultTimeout(300_000);
      const tab = await context.newPage();
      const said: string[] = [];
      const asked: string[] = [];
      tab.on('console', (message) => said.push(message.text()));
      tab.on('pageerror', (error) => said.push(error.message));
      tab.on('dialog', (dialog) => said.push(dialog.message()));
      tab.on('request', (request) => asked.push(request.url()));
      await tab.goto(pathToFileURL(page).href);
      expect(await tab.locator('h2').allTextContents()).toEqual([
        ...['Leaderboard', 'AUP', 'Performance profiles', 'AUP against cost', 'Tasks and models', 'Ends', 'Steps'],
        ...['Cost and tokens', 'Not ranked', 'Runs'],
      ]);
      // Text of the page, since lib here knows no DOM.
      const looks: unknown = await tab.evaluate(`(() => {
        const root = document.documentElement;
        const shown = [...document.querySelectorAll('svg[role=img]')].filter((svg) => svg.getBoundingClientRect().width > 0);
        return {
          overflow: root.scrollWidth - root.clientWidth,
          charts: shown.length,
          stroke: getComputedStyle(shown[1].querySelector('path[stroke^="var(--series"]')).stroke,
          background: getComputedStyle(document.body).backgroundColor,
          images: document.querySelectorAll('img, script').length,
        };
      })()`);
      expect(looks).toEqual({
        overflow: 0,
        charts: 6,
        stroke: colorScheme === 'light' ? 'rgb(31, 95, 191)' : 'rgb(127, 178, 255)',
        background: colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(18, 22, 28)',
        images: 0,
      });
      expect(said).toEqual([]);
      expect(asked).toEqual([pathToFileURL(page).href]);
    } finally {
      await context.close();
    }
  });
});
