import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, migrate, openDatabase } from '../../db/index.js';
import type { ObservedCommand } from '../../domain/run/run.js';
import { run, submission, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
beforeAll(async () => {
  const url = await server.createDatabase();
  await migrate(url);
  db = openDatabase(url, { max: 4 });
});
afterAll(async () => {
  await db.close();
});

const command = (more: Partial<ObservedCommand>): ObservedCommand => ({
  observation: 'seen',
  exitCode: 0,
  timedOut: false,
  lost: false,
  outputBytes: 4,
  requested: null,
  workingDir: '/ws',
  commandMs: 1,
  ...more,
});

/** A run of the task by the model; with a memory unless told otherwise. */
async function aRun(taskId: string, model = 'm', memory = true): Promise<string> {
  const batch = submission(null, (id) => [{ ...run(id, task(taskId), model, 1), ...(memory ? { memory } : {}) }]);
  await db.intake.submit(batch);
  return batch.runs[0]!.runId;
}

/** The run writes these into its memory, in one command. */
async function write(runId: string, step: number, memories: string[]): Promise<void> {
  await db.store.saveAction(runId, step, { response: 'r', thought: 't', action: 'memory_write', modelMs: 1 });
  await db.store.saveCommand(runId, step, command({ memories }));
}

test('a run reads what earlier runs of its task and model wrote, oldest first', async () => {
  const first = await aRun('a');
  expect(await db.store.beginMemory(first)).toEqual([]);
  await write(first, 1, ['one', 'two']);
  await write(first, 2, ['three\0']);
  const second = await aRun('a');
  expect(await db.store.memoryRecords(second)).toBeNull();
  expect(await db.store.beginMemory(second)).toEqual(['one', 'two', 'three\ufffd']);
  expect([await db.store.memoryRecords(first), await db.store.memoryRecords(second)]).toEqual([0, 3]);
  expect(await db.store.definition(second)).toMatchObject({ memory: true });
});

test('neither another task nor another model sees them', async () => {
  await write(await aRun('b'), 1, ['mine']);
  expect(await db.store.beginMemory(await aRun('c'))).toEqual([]);
  expect(await db.store.beginMemory(await aRun('b', 'other'))).toEqual([]);
  expect(await db.store.beginMemory(await aRun('b'))).toEqual(['mine']);
});

test('a new container of a run is given what its first one was', async () => {
  const earlier = await aRun('d');
  await write(earlier, 1, ['before']);
  const reader = await aRun('d');
  expect(await db.store.beginMemory(reader)).toEqual(['before']);
  await write(earlier, 2, ['meanwhile']);
  await write(reader, 1, ['its own']);
  expect(await db.store.beginMemory(reader)).toEqual(['before']);
  expect(await db.store.memoryRecords(reader)).toBe(1);
});

test('an outcome that is stored twice is remembered once', async () => {
  const runId = await aRun('e');
  await write(runId, 1, ['once']);
  await write(runId, 1, ['once', 'again']);
  expect(await db.store.beginMemory(await aRun('e'))).toEqual(['once']);
});

test('a run without memory reads and leaves none', async () => {
  const without = await aRun('f', 'm', false);
  expect(await db.store.beginMemory(without)).toBeNull();
  await write(without, 1, ['smuggled']);
  expect(await db.store.memoryRecords(without)).toBeNull();
  expect(await db.store.beginMemory(await aRun('f'))).toEqual([]);
});

test('the newest thousand records are given', async () => {
  const writer = await aRun('g');
  for (let step = 1; step <= 40; step += 1)
    await write(
      writer,
      step,
      Array.from({ length: 26 }, (_, i) => `${step}-${i}`),
    );
  const given = (await db.store.beginMemory(await aRun('g')))!;
  expect([given.length, given[0], given.at(-1)]).toEqual([1000, '2-14', '40-25']);
});

test('what the special commands remember is kept with the step', async () => {
  const runId = await aRun('h');
  await db.store.saveAction(runId, 1, { response: 'r', thought: 't', action: 'open a.py', modelMs: 1 });
  expect(await db.store.step(runId, 1)).toMatchObject({ toolState: null });
  await db.store.saveCommand(runId, 1, command({ toolState: { openFile: '/ws/a "b".py', memoryWritten: 2 } }));
  expect(await db.queries.trajectory(runId)).toMatchObject([
    { toolState: { openFile: '/ws/a "b".py', memoryWritten: 2 } },
  ]);
});
