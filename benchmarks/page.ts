/**
 * The page of `bench serve` in Chromium, over its own home: see page/goals.ts for what is measured.
 * Medians of `--repeat` unless a name says p95; `missed`: figures beyond their goals.
 *
 *   npm run benchmark:page -- [--repeat 5] [--jumps 1000] [--runs 100000] [--giant-steps 10000]
 *     [--long-steps 100000] [--exported 600] [--only <pattern of what is measured>]
 */
import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { openDatabase } from '../db/index.js';
import type { ServiceEndpoints } from '../domain/home/services.js';
import { quantile } from '../domain/statistics/quantile.js';
import { peakMemoryMb } from './process-memory.js';
import { ThrowawayHome } from './throwaway-home.js';
import { heapMb, launchChromium, openTab, until } from './page/chromium.js';
import { measureAsked, measureSearch } from './page/asked.js';
import { addStep, BATCHES, fill, IDS, lengthen } from './page/fill.js';
import { type Figures, GOALS, missed } from './page/goals.js';
import { type MeasuredPage, pause, viewers } from './page/measured-page.js';
import { lastAsked, ownBackends } from './page/own-backends.js';
import { measureWatching, measureWriting } from './page/watching.js';

const number = (fallback: number) => ({ type: 'string' as const, default: String(fallback) });
const { values } = parseArgs({
  options: {
    repeat: number(5),
    jumps: number(1000),
    runs: number(100_000),
    'giant-steps': number(10_000),
    'long-steps': number(100_000),
    exported: number(600),
    commits: number(40),
    only: { type: 'string' },
  },
});
const [repeat, jumps, commits] = [Number(values.repeat), Number(values.jumps), Number(values.commits)];
const sizes = {
  runs: Number(values.runs),
  giantSteps: Number(values['giant-steps']),
  giantBytes: 125_000,
  longSteps: Number(values['long-steps']),
  exported: Number(values.exported),
};
const MAIN = resolve(import.meta.dirname, '../cli/main.js');
const CLIENT = resolve(import.meta.dirname, '../web/client');
const say = (text: string): void => void process.stderr.write(`${text}\n`);
const median = (all: readonly number[]): number => Math.round(quantile(all, 0.5));
const p95 = (all: readonly number[]): number => Math.round(quantile(all, 0.95));
const READY = `document.querySelector('h1') !== null && document.querySelector('.loading, .step-ghost') === null`;
const stepShown = (step: number): string => `document.querySelector('[data-step="${step}"] .observation') !== null`;

const figures: Figures = {};
/** A failed figure does not stop the others; this says why. */
const failed: Record<string, string> = {};
async function measure(what: string, work: () => Promise<Figures>): Promise<void> {
  if (values.only !== undefined && !new RegExp(values.only).test(what)) return;
  try {
    const found = await work();
    Object.assign(figures, found);
    say(
      `${what}: ${Object.entries(found)
        .map(([name, value]) => `${name} ${value} (goal ${GOALS[name as keyof Figures]})`)
        .join(', ')}`,
    );
  } catch (error) {
    failed[what] = error instanceof Error ? error.message : String(error);
    say(`${what}: ${failed[what]}`);
  }
}

const home = new ThrowawayHome('page');
const browser = await launchChromium();
const serve = () =>
  execa(process.execPath, [MAIN, 'serve', '--port', '0', '--no-open', '--json'], {
    env: home.env,
    reject: false,
  });
let server: ReturnType<typeof serve> | undefined;
const out = join(home.dir, 'exported');
try {
  const { databaseUrl } = await home.bench<ServiceEndpoints>('up');
  const db = openDatabase(databaseUrl);
  const begun = Date.now();
  const { batchId: pairBatch } = await home.bench<{ batchId: string }>(
    ...['submit', '--models', 'scripted:counter:3', '--tasks', 'battleOfSexes'],
    ...['--attempts', '2', '--backend', 'local', '--wait'],
  );
  await fill(db, sizes, say);
  const pair = (
    await db.pool.query<{ id: string }>(`select run_id as id from runs where batch_id = $1 order by 1`, [pairBatch])
  ).rows.map(({ id }) => id) as [string, string];
  await lengthen(db, pair);
  say(`filled in ${Math.round((Date.now() - begun) / 1000)} s`);
  // New rows count as changed for this long.
  await pause(15_000);

  const started = performance.now();
  const serving = serve();
  server = serving;
  let printed = '';
  serving.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  while (!printed.includes('}')) {
    if (serving.exitCode != null) throw new Error('bench serve ended at once');
    await pause(5);
  }
  figures.listeningMs = Math.round(performance.now() - started);
  const { address, url } = JSON.parse(printed) as { address: string; url: string };
  const token = url.split('#token=')[1]!;
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${address}/api/v1${path}`, { ...init, headers: { authorization: `Bearer ${token}` } });
  const measured: MeasuredPage = { browser, db, address, token, pid: serving.pid!, ask, repeat };

  await measure('sizes', async () => {
    const built = JSON.parse(readFileSync(join(CLIENT, 'sizes.json'), 'utf8')) as Record<string, number>;
    const { page, context } = await openTab(browser, token);
    let requests = 0;
    // Counts files of the page, not API requests.
    page.on('request', (request) => (requests += /^data:|\/api\//.test(request.url()) ? 0 : 1));
    await page.goto(address);
    await until(page, READY);
    await context.close();
    return {
      firstScriptsKb: Math.round(built['first page, scripts']! / 1024),
      firstStylesKb: Math.round(built['first page, styles']! / 1024),
      chartsKb: Math.round(built['charts, later']! / 1024),
      editorKb: Math.round(built['SQL editor, later']! / 1024),
      firstRequests: requests,
    };
  });

  /** Loads an address in fresh browsers until something is there. */
  const loads = async (path: string, test: string, times = repeat): Promise<{ ready: number[]; lcp: number[] }> => {
    const [ready, lcp]: [number[], number[]] = [[], []];
    for (let i = 0; i < times; i++) {
      const { page, context } = await openTab(browser, token);
      await page.goto(`${address}${path}`, { waitUntil: 'commit' });
      ready.push(await until(page, test));
      await pause(300);
      lcp.push(await page.evaluate<number>('__lcp'));
      await context.close();
    }
    return { ready, lcp };
  };
  await measure('home', async () => ({ homeLcpMs: median((await loads('/', READY)).lcp) }));
  await measure('page to page', async () => {
    const { page, context } = await openTab(browser, token);
    await page.goto(address);
    await until(page, READY);
    const times: number[] = [];
    for (let i = 0; i < repeat; i++)
      for (const [path, title] of [
        ['/batches', 'Batches'],
        ['/runs', 'Runs'],
        ['/ops', 'Operations'],
        ['/compare', 'Compare'],
      ] as const)
        times.push(
          await until(
            page,
            `document.querySelector('h1')?.textContent.startsWith('${title}') && ${READY}`,
            `document.querySelector('header nav a[href^="${path}"]').click()`,
          ),
        );
    await context.close();
    // Loaded once before it counts: this measures a return.
    return { pageToPageP95Ms: p95(times.slice(4)) };
  });
  await measure('a run of 50 steps', async () => {
    const opened: number[] = [];
    for (let i = 0; i < repeat; i++) {
      const { page, context } = await openTab(browser, token);
      await page.goto(address);
      await until(page, READY);
      opened.push(await until(page, stepShown(1), `__go('/runs/${IDS.small}')`));
      await context.close();
    }
    // A fresh browser may take as long as for the first page.
    return {
      smallRunMs: median(opened),
      smallRunColdMs: median((await loads(`/runs/${IDS.small}`, stepShown(1))).ready),
    };
  });
  await measure('a run of a gigabyte', async () => {
    const first = median((await loads(`/runs/${IDS.giant}?step=1`, stepShown(1), 3)).ready);
    const { page, context } = await openTab(browser, token);
    await page.goto(`${address}/runs/${IDS.giant}?step=1`);
    await until(page, stepShown(1));
    await page.evaluate('__longest = 0');
    const times: number[] = [];
    for (let i = 1; i <= jumps; i++) {
      // Far apart, and never the same twice.
      const step = 1 + ((i * 6_151) % sizes.giantSteps);
      times.push(await until(page, stepShown(step), `__go('/runs/${IDS.giant}?step=${step}')`));
    }
    const frames = await page.evaluate<number[]>(`new Promise((resolve) => {
      const scroller = document.querySelector('.step-scroller'), frames = []; let last = performance.now();
      scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: 1, bubbles: true }));
      const look = (now) => { frames.push(now - last); last = now; scroller.scrollTop += 60; if (frames.length < 180) requestAnimationFrame(look); else resolve(frames.slice(1)); };
      requestAnimationFrame(look);
    })`);
    const longest = Math.round(await page.evaluate<number>('__longest'));
    const heap = await heapMb(page);
    await context.close();
    return {
      ...{ giantFirstStepsMs: first, giantJumpP95Ms: p95(times), giantHeapMb: heap },
      ...{ giantLongestTaskMs: longest, giantFrameP95Ms: p95(frames) },
    };
  });
  await measure('a run of 100,000 steps', async () => {
    const whole = `/${sizes.longSteps.toLocaleString('en').replace(/\D/g, '.?')} steps/.test(document.querySelector('main')?.textContent ?? '')`;
    const rail = median((await loads(`/runs/${IDS.long}`, whole, 3)).ready);
    const last = median(
      (await loads(`/runs/${IDS.long}?step=${sizes.longSteps}`, stepShown(sizes.longSteps), 3)).ready,
    );
    return { longRailMs: rail, longLastStepMs: last };
  });
  await measure('runs filtered', async () => {
    const { page, context } = await openTab(browser, token);
    await page.goto(`${address}/runs`);
    await until(page, READY);
    const [rows, facets]: [number[], number[]] = [[], []];
    for (let i = 1; i <= repeat; i++) {
      const count = `document.querySelector('.page-head [role=status]').textContent`;
      const before = await page.evaluate<string>(count);
      // One model more each time: others are counted.
      const models = Array.from({ length: i }, (_, k) => `model ${repeat - k}`);
      const path = `/runs?${models.map((model) => `model=${model}`).join('&')}&isolation=container`;
      rows.push(
        await until(
          page,
          `[...document.querySelectorAll('[data-row]')].length > 0 && [...document.querySelectorAll('[data-row]')].every((row) => ${JSON.stringify(models)}.some((model) => row.textContent.includes(model)))`,
          `__go(${JSON.stringify(path)}); window.__from = performance.now()`,
        ),
      );
      facets.push(
        await page.evaluate<number>(`__when(() => ${count} !== ${JSON.stringify(before)}, undefined, window.__from)`),
      );
    }
    await context.close();
    return { filterRowsMs: median(rows), filterFacetsMs: median(facets) };
  });
  await measure('a leaderboard of 10,000 runs', async () => {
    const answers: number[] = [];
    for (let i = 0; i <= repeat; i++) {
      const asked = performance.now();
      await (await ask(`/leaderboard?batch=${BATCHES.board}`)).arrayBuffer();
      if (i > 0) answers.push(performance.now() - asked);
    }
    const drawn = await loads(
      `/leaderboard?batch=${BATCHES.board}`,
      `document.querySelectorAll('main tbody tr').length > 20`,
    );
    return { boardAnswerMs: median(answers), boardDrawnMs: median(drawn.ready) };
  });
  await measure('a commit on the screen', async () => {
    const close = viewers(measured, 9, `topic=run:${IDS.live}`);
    const { page, context } = await openTab(browser, token);
    await page.goto(`${address}/runs/${IDS.live}`);
    await until(page, `/live/.test(document.querySelector('.fresh')?.textContent ?? '') && ${READY}`);
    const times: number[] = [];
    for (let step = 21; step <= 20 + commits; step++) {
      const seen = page.evaluate<number>(
        `__when(() => document.querySelector('[data-step="${step}"]') !== null).then(() => Date.now())`,
      );
      await addStep(db, step);
      const committed = Date.now();
      times.push((await seen) - committed);
      await pause(150 + Math.random() * 300);
    }
    await context.close();
    await close();
    return { commitOnScreenP95Ms: p95(times) };
  });
  await measure('20 viewers', async () => {
    const close = viewers(measured, 20, `topic=now&topic=batch:${BATCHES.single}`);
    await pause(8_000);
    const [, rss] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${serving.pid}/status`, 'utf8')) ?? [];
    await close();
    return { rssWith20ViewersMb: Math.round(Number(rss) / 1024) };
  });
  await measure('a search', () => measureSearch(measured));
  await measure('comparison, prompt, SQL', () => measureAsked(measured, pair));
  await measure('a batch of 5,000 runs watched', () => measureWatching(measured, home.pid('postgres')!));
  await measure('steps with viewers', () => measureWriting(measured, 20 + commits));
  await measure('nobody watching', async () => {
    await pause(3_000);
    const own = await ownBackends(db, serving.pid!);
    const before = await lastAsked(db, own);
    await pause(20_000);
    const after = await lastAsked(db, own);
    const { rows: asked } = await db.pool.query<{ query: string }>(
      `select left(query, 200) as query from pg_stat_activity where pid = any ($1)`,
      [[...after].flatMap(([pid, at]) => (before.get(pid) === at ? [] : [pid]))],
    );
    for (const { query } of asked) say(`asked while nobody watched: ${query}`);
    // At least one statement ran: each connection shows only its last.
    return { nobodyWatchingStatements: [...after].filter(([pid, at]) => before.get(pid) !== at).length };
  });
  await measure('an export', async () => {
    const begins = performance.now();
    const writing = execa(process.execPath, [MAIN, 'page', 'export', BATCHES.export, '-o', out, '--json'], {
      env: home.env,
    });
    let peak = 0;
    const look = setInterval(() => (peak = Math.max(peak, peakMemoryMb(writing.pid ?? null) ?? 0)), 100);
    const { stdout } = await writing.finally(() => clearInterval(look));
    const seconds = (performance.now() - begins) / 1000;
    const { path } = JSON.parse(stdout) as { path: string };
    const opened: number[] = [];
    for (let i = 0; i < repeat; i++) {
      const { page, context } = await openTab(browser, token);
      await page.goto(`${pathToFileURL(path).href}#/runs`, { waitUntil: 'commit' });
      opened.push(await until(page, `document.querySelectorAll('[data-row]').length > 5`));
      await context.close();
    }
    return { exportS: Math.round(seconds * 10) / 10, exportRssMb: peak, exportOpenedMs: median(opened) };
  });

  say(`measured in ${Math.round((Date.now() - begun) / 1000)} s, filling included`);
  await db.close();
  process.stdout.write(
    `${JSON.stringify({ benchmark: 'page', sizes, figures, goals: GOALS, missed: missed(figures), failed })}\n`,
  );
} finally {
  await browser.close();
  server?.kill('SIGTERM');
  await server;
  rmSync(out, { recursive: true, force: true });
  await home.remove();
}
