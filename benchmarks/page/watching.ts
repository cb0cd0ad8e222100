import { cpuTimeMs } from '../cpu-time.js';
import { openTab, until } from './chromium.js';
import { addStep, BATCHES, IDS } from './fill.js';
import type { Figures } from './goals.js';
import { type MeasuredPage, pause, viewers } from './measured-page.js';

const WATCHED_S = 15;
const CHANGES_A_SECOND = 50;

/** CPU of the tab, the server and PostgreSQL: 5,000 runs, fifty of which change each second. */
export async function measureWatching(
  { browser, db, address, token, pid }: MeasuredPage,
  postgres: number,
): Promise<Figures> {
  let changing = true;
  const change = (async () => {
    for (let i = 0; changing; i++) {
      const begun = performance.now();
      await db.pool.query(
        `update runs set step = step + 1, cost_usd = cost_usd + 0.001, updated_at = now()
         where batch_id = $1 and ordinal % 500 = $2`,
        [BATCHES.watched, i % 500],
      );
      await pause(Math.max(0, 10_000 / CHANGES_A_SECOND - (performance.now() - begun)));
    }
  })();
  const shares = async <Name extends string>(
    took: () => Promise<Record<Name, number>>,
  ): Promise<Record<Name, number>> => {
    const before = await took();
    const begun = performance.now();
    await pause(WATCHED_S * 1000);
    const after = await took();
    const elapsed = performance.now() - begun;
    const names = Object.keys(after) as Name[];
    return Object.fromEntries(names.map((name) => [name, (100 * (after[name] - before[name])) / elapsed])) as Record<
      Name,
      number
    >;
  };
  const unwatched = await shares(() => Promise.resolve({ database: cpuTimeMs([postgres]) }));
  const { page, context } = await openTab(browser, token);
  await page.goto(`${address}/batches/${BATCHES.watched}`);
  await until(page, `document.querySelector('.matrix') !== null`);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  await pause(3_000);
  const watched = await shares(async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return {
      page: metrics.find(({ name }) => name === 'TaskDuration')!.value * 1000,
      server: cpuTimeMs([pid]),
      database: cpuTimeMs([postgres]),
    };
  });
  changing = false;
  await change;
  await context.close();
  const rounded = (percent: number): number => Math.round(10 * percent) / 10;
  return {
    watchingPagePercent: rounded(watched.page),
    watchingServerPercent: rounded(watched.server),
    watchingDatabasePercent: rounded(watched.database - unwatched.database),
  };
}

const ROUNDS = 4;
const ROUND_MS = 4_000;

/** Steps committed one by one, with ten tabs watching the run and with none. */
export async function measureWriting(page: MeasuredPage, from: number): Promise<Figures> {
  let step = from;
  const round = async (): Promise<number> => {
    const begun = performance.now();
    const first = step;
    while (performance.now() - begun < ROUND_MS) await addStep(page.db, ++step);
    return (step - first) / (performance.now() - begun);
  };
  await round();
  let [watched, alone] = [0, 0];
  for (let i = 0; i < ROUNDS; i++) {
    alone += await round();
    const close = viewers(page, 10, `topic=run:${IDS.live}`);
    await pause(500);
    watched += await round();
    await close();
  }
  return { stepsLostTo10ViewersPercent: Math.round(1000 * (1 - watched / alone)) / 10 };
}
