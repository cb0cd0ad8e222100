import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeLayout } from '../../domain/home/layout.js';
import type { BatchDocument } from '../../domain/views/batches.js';
import type { Leaderboard } from '../../domain/views/leaderboard.js';
import type { RunDetail } from '../../domain/views/runs.js';
import type { PageServerDocument } from '../../domain/views/page.js';
import { killServiceOnceItRuns } from '../chaos/kill-service.js';
import { BenchHome } from '../setup/bench-home.js';
import { findChromium, startChromium } from '../setup/chromium.js';
import { LONG } from '../setup/long.js';
import { until } from '../setup/services-home.js';

const executable = await findChromium();

let home: BenchHome;
beforeAll(() => {
  home = new BenchHome();
});
afterAll(() => home.remove());

describe('bench demo --page', () => {
  it.runIf(LONG)('serves the page while the agents play, and until it is told to end', async () => {
    const demo = home.start('demo', '--backend', 'local', '--page');
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
    const { rows } = await home.json<Leaderboard>('leaderboard', '--include', 'scripted,local');
    expect(rows.map(({ rank, model }) => [rank, model])[0]).toEqual([1, 'scripted:optimum']);
    expect(rows).toHaveLength(3);

    // One page a home, which other commands point at.
    const again = await home.json<PageServerDocument>('serve', '--no-open');
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

describe.runIf(executable !== null)('bench serve, in a browser', () => {
  let browser: Browser;
  let server: ReturnType<BenchHome['start']>;
  let link: PageServerDocument;
  const serve = async (port: string): Promise<void> => {
    server = home.start('serve', '--port', port, '--no-open', '--json');
    let printed = '';
    server.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await until('the page is served', () => /\}\s*$/.test(printed));
    link = JSON.parse(printed) as PageServerDocument;
  };
  beforeAll(async () => {
    await serve('0');
    browser = await startChromium(executable!);
  });
  afterAll(async () => {
    await browser?.close();
    server?.kill('SIGKILL');
    await server;
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

  /** A run whose first step is the page's to take. */
  const startToPlay = async () => {
    const page = await open('/play?task=battleOfSexes');
    await page.getByLabel('Backend').selectOption('local');
    await page.getByRole('button', { name: 'Start' }).click();
    const turn = page.getByRole('region', { name: 'Your turn' });
    await turn.getByText('Step 1: your turn').waitFor();
    const runId = new URL(page.url()).pathname.split('/').at(-1)!;
    return { page, turn, runId };
  };

  // Without it, home/play.test.ts plays by the same questions, sql/turns.test.ts has their answers.
  it.runIf(LONG)('a person plays a run in the page, with the prompt, parser and ledger of a model', async () => {
    const { page, turn, runId } = await startToPlay();
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

  // Without it, sql/live-outputs.test.ts keeps what is shown, and no longer than the command runs.
  it.runIf(LONG)('shows what a command prints while it runs, and keeps none of it', async () => {
    const { page, turn, runId } = await startToPlay();
    await turn.getByLabel('Command').fill(
      // More than is shown at first: what counts is its end.
      'for i in $(seq 60); do echo tick $i; done; until [ -f enough ]; do echo tick $((i=i+1)); sleep 0.2; done',
    );
    await turn.getByLabel('Command').press('Control+Enter');
    await page.getByText('the end of its output').waitFor();
    const shown = async (): Promise<number> =>
      Number(/tick (\d+)\s*$/.exec(await page.locator('[data-step="1"] .observation').innerText())?.[1]);
    // What is there first may be half a line.
    let first = Number.NaN;
    await until('something is shown', async () => (first = await shown()) > 0);
    await until('more is shown', async () => (await shown()) > first);
    const [stored] = await home.sql<{ observation: string | null }>(
      `select observation from steps where run_id = $1 and step = 1`,
      [runId],
    );
    expect(stored).toEqual({ observation: null });
    writeFileSync(join(homeLayout(home.dir).run(runId, 1).workspace, 'enough'), '');
    await turn.getByText('Step 2: your turn').waitFor();
    await page.getByText('the end of its output').waitFor({ state: 'detached' });
    await turn.getByRole('button', { name: 'Submit and end' }).click();
    await page.locator('.page-head').getByText('submit').first().waitFor();
    expect(await home.sql(`select from live_outputs where run_id = $1`, [runId])).toEqual([]);
    await page.close();
  });

  // Without it, sql/page-steering.test.ts steers batches and runs by the same routes, each once.
  it.runIf(LONG)(
    'steers a batch over HTTP: pauses, raises the budget, cancels a run, resumes, cancels, each once',
    async () => {
      const { batchId } = await home.json<{ batchId: string }>(
        ...['submit', '--models', 'scripted:counter:900', '--tasks', 'battleOfSexes', '--attempts', '3'],
        ...['--max-steps', '1000', '--concurrency', '1', '--budget', '1', '--backend', 'local'],
      );
      const ask = async <T>(path: string, init: RequestInit = {}): Promise<{ status: number; body: T }> => {
        const headers = { authorization: `Bearer ${link.url.split('#token=')[1]}`, ...init.headers };
        const response = await fetch(`${link.address}/api/v1${path}`, { ...init, headers });
        return { status: response.status, body: (await response.json()) as T };
      };
      const act = (path: string, body: object, key: string) =>
        ask<{ repeated: boolean }>(path, {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json', 'idempotency-key': key },
        });
      const steer = async (path: string, options: Record<string, string> = {}): Promise<void> => {
        const query = new URLSearchParams(options).toString();
        const { body: preview } = await ask<{ allowed: boolean; tag: string }>(`${path}/preview?${query}`);
        expect([path, preview.allowed]).toEqual([path, true]);
        const key = randomUUID();
        const wish = { tag: preview.tag, ...options };
        expect(await act(path, wish, key)).toMatchObject({ status: 200, body: { repeated: false } });
        expect(await act(path, wish, key)).toMatchObject({ status: 200, body: { repeated: true } });
      };
      const status = () => home.json<BatchDocument>('status', batchId);
      let running = '';
      const inFlight = async (): Promise<boolean> => {
        running = (await status()).runs.find((run) => run.status === 'running' && run.steps > 0)?.runId ?? '';
        return running !== '';
      };
      await until('a run is in flight', inFlight);
      const cancelled = running;
      const { body: early } = await ask<{ tag: string }>(`/batches/${batchId}/pause/preview`);
      await steer(`/batches/${batchId}/pause`);
      expect(await act(`/batches/${batchId}/pause`, { tag: early.tag }, randomUUID())).toMatchObject({ status: 412 });
      expect((await status()).pausedAt).not.toBeNull();
      await steer(`/batches/${batchId}/budget`, { usd: '2' });
      expect((await status()).budgetUsd).toBe('2');
      await steer(`/runs/${cancelled}/cancel`);
      await until('the run has ended', async () =>
        (await status()).runs.some(({ runId, endReason }) => runId === cancelled && endReason === 'cancelled'),
      );
      // While it is paused no other takes its place.
      expect((await status()).byStatus).toEqual({ ended: 1, queued: 2 });
      await steer(`/batches/${batchId}/resume`);
      await until('another run is in flight', inFlight);
      await steer(`/batches/${batchId}/cancel`);
      await until('all have ended', async () => (await status()).byEndReason['cancelled'] === 3);
      const actions = await home.sql<{ detail: string }>(
        `select detail from events where kind = 'operator_action' and (batch_id = $1 or run_id = $2) order by event_id`,
        [batchId, cancelled],
      );
      expect(actions.map(({ detail }) => /: (\w+) /.exec(detail)?.[1])).toEqual([
        ...['pause', 'budget', 'cancel', 'resume', 'cancel'],
      ]);
    },
  );

  it('shows what is after the worker, PostgreSQL and its own server were killed: no step twice, none missing', async () => {
    const { batchId } = await home.json<{ batchId: string }>(
      ...['submit', '--models', `scripted:counter:${LONG ? 120 : 25}`, '--tasks', 'battleOfSexes'],
      ...['--attempts', LONG ? '4' : '1', '--backend', 'local', '--max-steps', '150'],
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
      server.kill('SIGKILL');
      await server;
      await serve(new URL(link.address).port);
    }
    await until('the batch has ended', async () => {
      const [batch] = await home.sql<{ status: string }>('select status from batches where batch_id = $1', [batchId]);
      return batch?.status === 'ended';
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
