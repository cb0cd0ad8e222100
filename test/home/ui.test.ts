import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Leaderboard } from '../../domain/views/leaderboard.js';
import type { RunDetail } from '../../domain/views/runs.js';
import type { UiDocument } from '../../domain/views/ui.js';
import { killServiceOnceItRuns } from '../chaos/kill-service.js';
import { BenchHome } from '../setup/bench-home.js';
import { findChromium } from '../setup/chromium.js';
import { LONG } from '../setup/long.js';
import { until } from '../setup/services-home.js';

const executable = findChromium();

let home: BenchHome;
beforeAll(() => {
  home = new BenchHome();
});
afterAll(() => home.remove());

describe('bench demo --ui', () => {
  it('serves the page while the agents play, and until it is told to end', async () => {
    const demo = home.start('demo', '--backend', 'local', '--ui');
    let stderr = '';
    demo.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const link = (): { address: string; token: string } | null => {
      const [, address = '', token = ''] = /The page: (http:\/\/127\.0\.0\.1:\d+)\/#token=([\w-]+)/.exec(stderr) ?? [];
      return token === '' ? null : { address, token };
    };
    await until('the link is printed', () => link() !== null);
    const { address, token } = link()!;
    const ask = async <T>(path: string, bearer = token): Promise<{ status: number; body: T }> => {
      const response = await fetch(`${address}${path}`, { headers: { authorization: `Bearer ${bearer}` } });
      return { status: response.status, body: (await response.json().catch(() => null)) as T };
    };
    type Runs = { runs: { runId: string; status: string; steps: number }[]; total: number };
    await until('the page has runs that have not ended', async () => {
      const { status, body } = await ask<Runs>('/api/v1/runs?limit=50');
      return status === 200 && body.runs.length === 18 && body.runs.some((run) => run.status !== 'ended');
    });
    expect((await ask('/api/v1/runs', 'wrong')).status).toBe(401);
    const page = await fetch(address);
    expect([page.status, page.headers.get('content-security-policy')]).toEqual([
      200,
      expect.stringContaining("require-trusted-types-for 'script'"),
    ]);

    await until('the demo is over', () => stderr.includes('The page is still served'));
    const [{ body: shown }, listed] = await Promise.all([
      ask<Runs>('/api/v1/runs?limit=50'),
      home.json<{ runs: { runId: string; steps: number }[] }>('runs'),
    ]);
    const steps = (runs: { runId: string; steps: number }[]) => new Map(runs.map((run) => [run.runId, run.steps]));
    expect(steps(shown.runs)).toEqual(steps(listed.runs));
    const { rows } = await home.json<Leaderboard>('leaderboard', '--include-scripted', '--include-local');
    expect(rows.map(({ rank, model }) => [rank, model])[0]).toEqual([1, 'scripted:optimum']);
    expect(rows).toHaveLength(3);

    // One page a home, which other commands point at.
    const again = await home.json<UiDocument>('ui', 'serve', '--no-open');
    expect(again).toMatchObject({ address, pid: demo.pid, reused: true });
    const submitted = await home.run(
      ...['submit', '--models', 'scripted:baseline', '--tasks', 'blotto', '--attempts', '1', '--backend', 'local'],
    );
    expect(submitted.stderr).toMatch(new RegExp(`On the page: ${address}/batches/b-\\w+`));

    demo.kill('SIGTERM');
    await demo;
    await expect(fetch(address)).rejects.toThrow();
    expect((await home.run('status')).stderr).not.toContain('On the page');
  });
});

describe.runIf(executable !== null)('bench ui, in a browser', () => {
  let browser: Browser;
  let ui: ReturnType<BenchHome['start']>;
  let link: UiDocument;
  const serve = async (port: string): Promise<void> => {
    ui = home.start('ui', 'serve', '--port', port, '--no-open', '--json');
    let printed = '';
    ui.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await until('the page is served', () => /\}\s*$/.test(printed));
    link = JSON.parse(printed) as UiDocument;
  };
  beforeAll(async () => {
    await serve('0');
    browser = await chromium.launch({ executablePath: executable!, args: ['--no-sandbox'], timeout: 300_000 });
  });
  afterAll(async () => {
    await browser?.close();
    ui?.kill('SIGKILL');
    await ui;
  });
  /** What one tab sees; the token comes with the link, as for people. */
  const open = async (path: string): Promise<Page> => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(300_000);
    await page.goto(link.url);
    await page.locator('h1').first().waitFor();
    await page.goto(`${link.address}${path}`);
    return page;
  };
  const steps = (runId: string) =>
    home.sql<{ step: number; action: string; thought: string }>(
      `select step, action, thought from steps where run_id = $1 order by step`,
      [runId],
    );

  it('a person plays a run in the page, with the prompt, parser and ledger of a model', async () => {
    const page = await open('/play?task=battleOfSexes');
    await page.getByLabel('Backend').selectOption('local');
    await page.getByRole('button', { name: 'Start' }).click();
    const turn = page.getByRole('region', { name: 'Your turn' });
    await turn.getByText('Step 1: your turn').waitFor();
    const runId = new URL(page.url()).pathname.split('/').at(-1)!;
    expect(await turn.innerText()).toContain('Write the row player');
    // A reply that the parser cannot read is asked for again, as of a model.
    await turn.getByLabel('send as typed').check();
    await turn.getByLabel('Reply').fill('I think I shall look around.');
    await turn.getByRole('button', { name: 'Send' }).click();
    await turn.getByText('Step 1, reply 2: your turn').waitFor();
    await turn.getByLabel('Thought').fill('I look.');
    await turn.getByLabel('Command').fill('ls');
    await turn.getByLabel('Command').press('Control+Enter');
    await turn.getByText('Step 2: your turn').waitFor();
    expect(await turn.innerText()).toContain('strategy.py');
    await turn.getByRole('button', { name: 'Submit and end' }).click();
    await page.locator('.page-head').getByText('submit').first().waitFor();
    expect(await steps(runId)).toEqual([
      { step: 1, thought: 'I look.', action: 'ls' },
      { step: 2, thought: '', action: 'submit' },
    ]);
    const calls = await home.sql<{ step: number; try: number; cost: string }>(
      `select step, try, trim_scale(cost_usd)::text as cost from model_calls where run_id = $1 and status = 'confirmed' order by 1, 2`,
      [runId],
    );
    expect(calls).toEqual([
      { step: 1, try: 0, cost: '0' },
      { step: 1, try: 1, cost: '0' },
      { step: 2, try: 0, cost: '0' },
    ]);
    await page.close();
  });

  it('shows what is after the worker, PostgreSQL and its own server were killed: no step twice, none missing', async () => {
    const { batchId } = await home.json<{ batchId: string }>(
      ...['submit', '--models', `scripted:counter:${LONG ? 120 : 25}`, '--tasks', 'battleOfSexes'],
      ...['--attempts', LONG ? '4' : '1', '--backend', 'local'],
    );
    const runIds = await home.sql<{ run_id: string }>(`select run_id from runs where batch_id = $1 order by 1`, [
      batchId,
    ]);
    const runId = runIds[0]!.run_id;
    const page = await open(`/runs/${runId}?density=list`);
    const list = await open(`/runs?batch=${batchId}`);
    await page.locator('[data-step="1"]').waitFor();
    for (let round = 0; round < (LONG ? 4 : 1); round++) {
      await killServiceOnceItRuns(home, 'worker');
      await killServiceOnceItRuns(home, 'postgres');
      ui.kill('SIGKILL');
      await ui;
      await serve(new URL(link.address).port);
    }
    await until('the batch has ended', async () => {
      const { exitCode, stdout } = await home.run('status', batchId, '--json');
      if (exitCode !== 0) return false;
      return (JSON.parse(stdout) as { status: string }).status === 'ended';
    });
    const run = await home.json<RunDetail>('show', runId);
    const stored = await steps(runId);
    const shown = async (): Promise<number[]> =>
      page.evaluate<number[]>(`[...document.querySelectorAll('[data-step]')].map((row) => Number(row.dataset.step))`);
    expect(stored.map(({ step }) => step)).toEqual(stored.map((_, i) => i + 1));
    if (LONG) await page.setViewportSize({ width: 1440, height: 5_000 });
    // By itself: nobody reloads it.
    await until('the page has the last step', async () => (await shown()).includes(stored.at(-1)!.step));
    expect((await shown()).sort((a, b) => a - b)).toEqual(stored.map(({ step }) => step));
    await until('the page tells the end', async () =>
      (await page.locator('.page-head').first().innerText()).includes(run.endReason ?? ''),
    );
    for (const { run_id: id } of runIds)
      await until('the list tells each end', async () => {
        const row = list.locator('[data-row]', { has: list.getByTitle(id) });
        return (await row.innerText()).includes('submit');
      });
    await sleep(1_000);
    expect((await shown()).sort((a, b) => a - b)).toEqual(stored.map(({ step }) => step));
    await page.close();
    await list.close();
  });
});
