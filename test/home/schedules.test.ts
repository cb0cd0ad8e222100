import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NotificationBody } from '../../domain/views/notifications.js';
import type { ScheduleRun, ShownSchedule } from '../../domain/views/schedules.js';
import { BenchHome, testConfigs } from '../setup/bench-home.js';
import { LONG } from '../setup/long.js';
import { receiver } from '../setup/receiver.js';
import { until } from '../setup/services-home.js';

const DAY = 86_400_000;
const NIGHTS = LONG ? 30 : 2;
/** The night on which the agent plays worse. */
const PLANTED = LONG ? 17 : 2;

/** The time of that night, from 1 to NIGHTS; the last one was yesterday. */
const night = (nth: number): string => {
  const time = new Date(Date.now() - (NIGHTS - nth + 1) * DAY);
  time.setUTCHours(2, 0, 0, 0);
  return time.toISOString();
};

let home: BenchHome;
let at: Awaited<ReturnType<typeof receiver>>;
let oracle: string;
beforeAll(async () => {
  at = await receiver();
  home = new BenchHome({ BENCH_NOTIFY_URL: at.url.href, BENCH_NOTIFY_ON: 'regression' });
  const task = join(home.dir, 'configs/tasks/battleOfSexes');
  cpSync(join(testConfigs(), 'tasks/battleOfSexes'), task, { recursive: true });
  // Few games are noisy, and a night must not fail by chance.
  const yaml = readFileSync(join(task, 'task.yaml'), 'utf8');
  writeFileSync(join(task, 'task.yaml'), yaml.replace('standardError: 0.0033', 'standardError: 0.03'));
  oracle = join(task, 'oracle/strategy.py');
});
afterAll(async () => {
  await home.remove();
  await at.close();
});

const shown = () => home.json<ShownSchedule>('schedule', 'show', 'nightly');
const runOf = async (dueAt: string): Promise<ScheduleRun | undefined> =>
  (await shown()).runs.find((one) => one.dueAt === dueAt);
async function backfill(from: number, to: number): Promise<void> {
  await home.json('schedule', 'backfill', 'nightly', '--from', night(from), '--until', night(to));
  for (let nth = from; nth <= to; nth++)
    await until(`night ${nth} is decided`, async () => (await runOf(night(nth)))?.outcome != null);
}

it('plays past nights and a live one, and finds the night that is worse, once', async () => {
  const created = await home.run(
    ...['schedule', 'create', 'nightly', '--cron', '0 2 * * *', '--json', '--', 'submit'],
    ...['--models', 'scripted:oracle', '--tasks', 'battleOfSexes', '--attempts', '6', '--backend', 'local'],
  );
  expect([created.exitCode, created.stderr]).toEqual([0, expect.any(String)]);
  await backfill(1, PLANTED - 1);
  const good = readFileSync(oracle, 'utf8');
  writeFileSync(oracle, good.replace('return 0', 'return 1'));
  await backfill(PLANTED, PLANTED);
  writeFileSync(oracle, good);
  if (PLANTED < NIGHTS) await backfill(PLANTED + 1, NIGHTS);
  await home.json('schedule', 'trigger', 'nightly');
  await until('the live one is decided', async () => {
    const { runs } = await shown();
    return runs.length === NIGHTS + 1 && runs.every(({ outcome }) => outcome !== null);
  });

  const { runs } = await shown();
  const oldestFirst = runs.toReversed();
  expect(oldestFirst.map(({ dueAt }) => dueAt).slice(0, NIGHTS)).toEqual(
    Array.from({ length: NIGHTS }, (_, index) => night(index + 1)),
  );
  const planted = oldestFirst[PLANTED - 1]!;
  expect(planted).toMatchObject({ outcome: 'worse', accepted: false, baseBatchId: oldestFirst[PLANTED - 2]!.batchId });
  expect(planted.detail).toContain('is worse: win rate 0.00');
  expect(oldestFirst.filter((one) => one.outcome === 'worse')).toEqual([planted]);
  // No later night is compared with the bad one.
  expect(runs.map(({ baseBatchId }) => baseBatchId)).not.toContain(planted.batchId);

  await until('the webhook is notified', () => at.received.length > 0);
  await home.json('schedule', 'backfill', 'nightly', '--from', night(PLANTED), '--until', night(PLANTED));
  expect((await shown()).runs).toEqual(runs);
  const told = at.received.map(({ body }) => JSON.parse(body) as NotificationBody);
  expect(told.map(({ event, batch }) => [event, batch?.batchId])).toEqual([['batch.regression', planted.batchId]]);
  expect(told[0]!.text).toContain('is a regression');
});

it('pauses, resumes and deletes a schedule, and keeps its batches', async () => {
  await home.json('schedule', 'pause', 'nightly');
  expect(await shown()).toMatchObject({ paused: true, nextAt: null });
  await home.json('schedule', 'resume', 'nightly');
  const { paused, nextAt } = await shown();
  expect([paused, nextAt?.slice(10)]).toEqual([false, 'T02:00:00.000Z']);
  await home.json('schedule', 'delete', 'nightly');
  const gone = await home.run('schedule', 'show', 'nightly');
  expect([gone.exitCode, gone.stderr]).toEqual([2, expect.stringContaining('no schedule "nightly"')]);
  const { total } = await home.json<{ total: number }>('batches');
  expect(total).toBe(NIGHTS + 1);
});
