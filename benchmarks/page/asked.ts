import { IDS, PAIR_STEPS } from './fill.js';
import { openTab, until } from './chromium.js';
import type { Figures } from './goals.js';
import { type MeasuredPage, pause } from './measured-page.js';
import { quantile } from '../../domain/statistics/quantile.js';

const median = (all: readonly number[]): number => Math.round(quantile(all, 0.5));

/** A search's server-sent events up to one of a kind; milliseconds from the request. */
async function searched(
  { ask }: MeasuredPage,
  q: string,
  event: 'hits' | 'progress' | 'done',
  closing = new AbortController(),
): Promise<number> {
  const asked = performance.now();
  const { body } = await ask(`/search?run=${IDS.giant}&q=${encodeURIComponent(q)}`, { signal: closing.signal });
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body!) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.includes(`event: ${event}\n`)) break;
  }
  return performance.now() - asked;
}

/** A search of a gigabyte: first hit, all, and how soon the database rests without a reader. */
export async function measureSearch(page: MeasuredPage): Promise<Figures> {
  const [first, cancel]: [number[], number[]] = [[], []];
  for (let i = 0; i < page.repeat; i++) first.push(await searched(page, `epoch ${i + 3} begins`, 'hits'));
  const all = await searched(page, 'nothing here has this', 'done');
  for (let i = 0; i < page.repeat; i++) {
    const closing = new AbortController();
    await searched(page, 'nothing here has this', 'progress', closing);
    await pause(300);
    const left = performance.now();
    closing.abort();
    for (;;) {
      const { rows } = await page.db.pool.query(
        `select from pg_stat_activity where state = 'active' and pid <> pg_backend_pid() and query like '%texts as%'`,
      );
      if (rows.length === 0) break;
      await pause(5);
    }
    cancel.push(performance.now() - left);
  }
  return { searchFirstHitMs: median(first), searchAllMs: Math.round(all), searchCancelMs: median(cancel) };
}

export async function measureAsked(page: MeasuredPage, pair: readonly [string, string]): Promise<Figures> {
  const { browser, token, address, repeat } = page;
  const [compare, prompt, sql]: [number[], number[], number[]] = [[], [], []];
  for (let i = 0; i < repeat; i++) {
    const { page: tab, context } = await openTab(browser, token);
    await tab.goto(`${address}/compare?runs=${pair[0]}&runs=${pair[1]}`, { waitUntil: 'commit' });
    compare.push(await until(tab, `document.querySelector('main')?.textContent.includes('First divergence')`));
    await context.close();
    const asked = performance.now();
    const answer = await page.ask(`/runs/${pair[0]}/steps/${PAIR_STEPS / 2 - i}/prompt`);
    if (!answer.ok) throw new Error(`the prompt: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
    prompt.push(performance.now() - asked);
  }
  const columns = Array.from({ length: 20 }, (_, i) => (i === 0 ? 'n' : `n * ${i} as c${i}`)).join(', ');
  const query = `select ${columns} from generate_series(1, 10000) n`;
  for (let i = 0; i < repeat; i++) {
    const { page: tab, context } = await openTab(browser, token);
    await tab.goto(`${address}/sql?q=${encodeURIComponent(query)}`);
    await until(tab, `document.querySelector('.cm-content') !== null && document.querySelector('.loading') === null`);
    sql.push(
      await until(
        tab,
        `document.querySelector('main').textContent.includes('10,000 rows') && document.querySelector('[data-row="5"]') !== null`,
        `[...document.querySelectorAll('main button')].find((button) => button.textContent.startsWith('Run')).click()`,
      ),
    );
    await context.close();
  }
  return { compareMs: median(compare), promptMs: median(prompt), sqlMs: median(sql) };
}
