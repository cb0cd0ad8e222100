import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import type { ChatMessage } from '../../domain/model.js';
import { run, submission, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
});
afterAll(async () => {
  await db.close();
});

const question: ChatMessage[] = [
  { role: 'user', content: 'What now?' },
  { role: 'tool', content: 'NUL: \0, "quotes", 日本', toolCallId: 'c1' },
];

async function startRun(): Promise<string> {
  const batch = submission(null, (batchId) => [run(batchId, task('t'), 'human', 1)]);
  await db.submit(batch);
  return batch.runs[0]?.runId ?? '';
}

describe('questions to a person', () => {
  test('are open until the reply, and the first reply counts', async () => {
    const { turns } = db;
    const runId = await startRun();
    const turn = { runId, step: 1, try: 0 };
    expect(await turns.open(runId)).toBeNull();
    await turns.ask(turn, question);
    const shown = [question[0], { ...question[1], content: 'NUL: \uFFFD, "quotes", 日本' }];
    expect(await turns.open(runId)).toEqual({ ...turn, messages: shown });
    expect(await turns.reply(turn)).toBeNull();
    expect(await turns.answer(turn, 'ls \0')).toBe('ls \uFFFD');
    expect(await turns.answer(turn, 'pwd')).toBe('ls \uFFFD');
    expect(await turns.reply(turn)).toBe('ls \uFFFD');
    expect(await turns.open(runId)).toBeNull();
  });

  test('asked again by another worker stay as they are, with their reply', async () => {
    const { turns } = db;
    const turn = { runId: await startRun(), step: 1, try: 0 };
    await turns.ask(turn, question);
    await turns.answer(turn, 'ls');
    await turns.ask(turn, [{ role: 'user', content: 'something else' }]);
    expect(await turns.reply(turn)).toBe('ls');
    expect(await turns.open(turn.runId)).toBeNull();
  });

  test('are told apart by step and requery, and nobody is asked after the end', async () => {
    const { turns } = db;
    const runId = await startRun();
    await turns.ask({ runId, step: 1, try: 0 }, question);
    await turns.answer({ runId, step: 1, try: 0 }, '?');
    await turns.ask({ runId, step: 1, try: 1 }, question);
    expect(await turns.open(runId)).toMatchObject({ step: 1, try: 1 });
    await db.store.finishRun(runId, { endReason: 'cancelled', finalEvaluation: 'not_run', detail: null });
    expect(await turns.open(runId)).toBeNull();
  });

  test('that were never put have no answer', async () => {
    expect(await db.turns.answer({ runId: await startRun(), step: 9, try: 0 }, 'ls')).toBeNull();
  });
});
