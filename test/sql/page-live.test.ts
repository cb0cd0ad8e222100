import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { type LiveMessage, liveMessages } from '../../domain/views/changes.js';
import type { Bench } from '../../operations/bench.js';
import type { Raw } from '../../web/server/call.js';
import { Hub } from '../../web/server/live/hub.js';
import { type Outage, watchOutage } from '../../web/server/outage.js';
import { evaluate, run, submission, SUBMITTED, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { LONG } from '../setup/long.js';

const server = sharedDatabases();
let db: Database;
let hub: Hub;
let outage: Outage;
let batchId: string;
let runIds: string[];
let broken: Error | null = null;
let asked = 0;

beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
  const batch = submission('watched', (id) => [1, 2, 3].map((attempt) => run(id, task('one'), 'alpha', attempt)));
  await db.intake.submit(batch);
  batchId = batch.batch.batchId;
  runIds = batch.runs.map(({ runId }) => runId);
  const query = db.pool.query.bind(db.pool) as (...args: unknown[]) => Promise<unknown>;
  Object.assign(db.pool, {
    query: (...args: unknown[]) => {
      asked++;
      return broken === null ? query(...args) : Promise.reject(broken);
    },
  });
  const bench = { ...db, database: () => Promise.resolve(db), reconnect: () => Promise.resolve() } as unknown as Bench;
  outage = watchOutage(bench);
  hub = new Hub(bench, outage, '1.2.3');
});
afterAll(async () => {
  hub.close();
  await db.close();
});

interface Stream {
  messages: (LiveMessage & { id: string })[];
  until(found: (messages: LiveMessage[]) => boolean): Promise<void>;
  close(): void;
}

const WATCHER = { name: 'w', role: 'viewer' as const, createdAt: new Date(0).toISOString(), expiresAt: null };

/** What a page would read; each message must be what its schema says. */
async function watch(topic: string[], since?: string, allowed: () => boolean = () => true): Promise<Stream> {
  const leave = new AbortController();
  const { body } = (await hub.open({
    ...{ params: {}, body: {}, who: WATCHER, header: () => undefined, stillAllowed: allowed, signal: leave.signal },
    query: { topic, ...(since !== undefined && { since }) },
  })) as Raw & { body: ReadableStream<Uint8Array> };
  const messages: Stream['messages'] = [];
  const waiting = new Set<() => void>();
  void (async () => {
    let text = '';
    for await (const chunk of body) {
      text += Buffer.from(chunk).toString();
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts.filter((one) => !one.startsWith(':'))) {
        const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1] ?? '';
        const event = field('event') as LiveMessage['event'];
        const data = JSON.parse(field('data')) as never;
        expect(liveMessages[event].safeParse(data).error?.issues ?? []).toEqual([]);
        messages.push({ event, data, id: field('id') });
      }
      for (const look of waiting) look();
    }
  })();
  return {
    messages,
    until: (found) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!found(messages)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close: () => leave.abort(),
  };
}

const stepsOf = (messages: LiveMessage[]): number[] =>
  messages.flatMap((message) => (message.event === 'steps' ? message.data.columns.step : []));
const runsOf = (messages: LiveMessage[], runId: string) =>
  messages.flatMap((message) =>
    message.event === 'runs' ? message.data.runs.filter((row) => row.runId === runId) : [],
  );

async function step(runId: string, number: number): Promise<void> {
  await db.store.saveAction(runId, number, { response: 'r', thought: 't', action: 'ls', modelMs: 1 });
  await db.store.saveCommand(runId, number, {
    ...{ observation: 'o', exitCode: 0, timedOut: false, lost: false, outputBytes: 1 },
    ...{ requested: null, workingDir: '/', commandMs: 1 },
  });
}

describe('who watches', () => {
  test('a run is told its steps, scores and events as they are committed', async () => {
    const [runId = ''] = runIds;
    const stream = await watch([`run:${runId}`]);
    await stream.until((messages) => messages[0]?.event === 'hello');
    await step(runId, 1);
    await stream.until((messages) => stepsOf(messages).includes(1));
    await evaluate(db, runId, 1, 'validate', 7, { ms: 1 });
    await db.store.addEvent({ runId, batchId, kind: 'sandbox_lost', key: 'k', detail: 'gone' });
    await stream.until(
      (messages) =>
        messages.some(({ event }) => event === 'evaluations') && messages.some(({ event }) => event === 'events'),
    );
    stream.close();
  });

  test('a batch is told its runs, and what it comes to', async () => {
    const stream = await watch([`batch:${batchId}`]);
    await db.store.finishRun(runIds[1]!, SUBMITTED);
    await stream.until((messages) => runsOf(messages, runIds[1]!).some(({ status }) => status === 'ended'));
    await stream.until((messages) =>
      messages.some(({ event, data }) => event === 'batches' && 'batches' in data && data.batches[0]?.ended === 1),
    );
    stream.close();
  });

  test('everything is told what starts, and what ended', async () => {
    const stream = await watch(['now']);
    await step(runIds[2]!, 1);
    await stream.until((messages) => runsOf(messages, runIds[2]!).some(({ steps }) => steps === 1));
    await db.store.finishRun(runIds[2]!, SUBMITTED);
    await stream.until((messages) => runsOf(messages, runIds[2]!).some(({ status }) => status === 'ended'));
    stream.close();
  });
});

test('nothing is lost when the connection was, and nothing is told twice to who stayed', async () => {
  const [runId = ''] = runIds;
  const stayed = await watch([`run:${runId}`]);
  const first = await watch([`run:${runId}`]);
  await step(runId, 2);
  await first.until((messages) => stepsOf(messages).includes(2));
  const cursor = first.messages.at(-1)!.id;
  first.close();
  await step(runId, 3);
  await stayed.until((messages) => stepsOf(messages).includes(3));
  const second = await watch([`run:${runId}`], cursor);
  await step(runId, 4);
  await second.until((messages) => [3, 4].every((number) => stepsOf(messages).includes(number)));
  expect(second.messages[0]).toMatchObject({ event: 'hello', data: { gap: false } });
  await stayed.until((messages) => stepsOf(messages).includes(4));
  // A reply and its outcome may be told apart, but what did not change is not told again.
  for (const number of [2, 3, 4]) {
    const told = stepsOf(stayed.messages).filter((one) => one === number).length;
    expect(told).toBeGreaterThanOrEqual(1);
    expect(told).toBeLessThanOrEqual(2);
  }
  stayed.close();
  second.close();
});

test('a commit that comes late is told still', async () => {
  const [runId = ''] = runIds;
  const stream = await watch([`run:${runId}`]);
  const late = await db.pool.connect();
  await late.query('begin');
  await late.query(`insert into steps (run_id, step, response, thought, action) values ($1, 5, 'r', 't', 'late')`, [
    runId,
  ]);
  await late.query('update runs set step = 5, updated_at = now() where run_id = $1', [runId]);
  // Others are told meanwhile, so that the mark passes its time.
  await db.store.addEvent({ runId, batchId, kind: 'sandbox_reaped', key: 'meanwhile', detail: '' });
  await stream.until((messages) =>
    messages.some(
      (message) => message.event === 'events' && message.data.events.some(({ key }) => key === 'meanwhile'),
    ),
  );
  await late.query('commit');
  late.release();
  await stream.until((messages) => stepsOf(messages).includes(5));
  stream.close();
});

test('a cursor that is too old, or is none, is told to ask for everything', async () => {
  for (const since of ['2020-01-01 00:00:00+00', 'nonsense']) {
    const stream = await watch([`run:${runIds[0]}`], since);
    await stream.until((messages) => messages.length > 0);
    expect(stream.messages[0]).toMatchObject({ event: 'hello', data: { gap: true } });
    stream.close();
  }
});

test('services that do not answer are told, and what was committed meanwhile after them', async () => {
  const [runId = ''] = runIds;
  const stream = await watch([`run:${runId}`]);
  broken = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  await stream.until((messages) => messages.some((m) => m.event === 'services' && m.data.lostSince !== null));
  broken = null;
  await step(runId, 6);
  await stream.until((messages) => stepsOf(messages).includes(6));
  expect(stream.messages.some((m) => m.event === 'services' && m.data.lostSince === null)).toBe(true);
  stream.close();
});

test.each(LONG ? [1_001, 5_001] : [1_001])(
  '%i changed runs at once are not sent one by one: ask for all again',
  async (count) => {
    const many = submission(`many at once: ${count}`, (id) =>
      Array.from({ length: count }, (_, attempt) => run(id, task('one'), 'alpha', attempt + 1)),
    );
    await db.intake.submit(many);
    const stream = await watch([`batch:${many.batch.batchId}`]);
    await stream.until((messages) => messages.some(({ event }) => event === 'gap'));
    expect(stream.messages.flatMap((one) => (one.event === 'runs' ? one.data.runs : []))).toEqual([]);
    stream.close();
  },
);

test('nobody watching asks nothing', async () => {
  const stream = await watch(['now', `batch:${batchId}`]);
  await stream.until((messages) => messages.length > 0);
  expect(hub.watched().sort()).toEqual([`batch:${batchId}`, 'now']);
  stream.close();
  expect(hub.watched()).toEqual([]);
  // Questions that were under way may end; who asks by the clock never falls silent.
  let before = -1;
  for (let windows = 0; windows < 24 && asked > before; windows++) {
    before = asked;
    await sleep(5_000);
  }
  expect(asked).toBe(before);
});

test('at most 64 streams are open; the next is refused', async () => {
  const streams = await Promise.all(Array.from({ length: 64 }, () => watch(['ops'])));
  await expect(watch(['ops'])).rejects.toMatchObject({ type: 'services' });
  streams[0]!.close();
  const next = await watch(['ops']);
  for (const stream of [...streams, next]) stream.close();
  expect(hub.watched()).toEqual([]);
});
