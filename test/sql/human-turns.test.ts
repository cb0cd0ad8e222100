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
    const { humanTurns } = db;
    const runId = await startRun();
    const turn = { runId, step: 1, try: 0 };
    expect(await humanTurns.open(runId)).toBeNull();
    await humanTurns.ask(turn, question);
    const shown = [question[0], { ...question[1], content: 'NUL: \uFFFD, "quotes", 日本' }];
    expect(await humanTurns.open(runId)).toEqual({ ...turn, messages: shown });
    expect(await humanTurns.reply(turn)).toBeNull();
    expect(await humanTurns.answer(turn, 'ls \0')).toBe('ls \uFFFD');
    expect(await humanTurns.answer(turn, 'pwd')).toBe('ls \uFFFD');
    expect(await humanTurns.reply(turn)).toBe('ls \uFFFD');
    expect(await humanTurns.open(runId)).toBeNull();
  });

  test('asked again by another worker stay as they are, with their reply', async () => {
    const { humanTurns } = db;
    const turn = { runId: await startRun(), step: 1, try: 0 };
    await humanTurns.ask(turn, question);
    await humanTurns.answer(turn, 'ls');
    await humanTurns.ask(turn, [{ role: 'user', content: 'something else' }]);
    expect(await humanTurns.reply(turn)).toBe('ls');
    expect(await humanTurns.open(turn.runId)).toBeNull();
  });

  test('are told apart by step and requery, and nobody is asked after the end', async () => {
    const { humanTurns } = db;
    const runId = await startRun();
    await humanTurns.ask({ runId, step: 1, try: 0 }, question);
    await humanTurns.answer({ runId, step: 1, try: 0 }, '?');
    await humanTurns.ask({ runId, step: 1, try: 1 }, question);
    expect(await humanTurns.open(runId)).toMatchObject({ step: 1, try: 1 });
    await db.store.finishRun(runId, { endReason: 'cancelled', finalEvaluation: 'not_run', detail: null });
    expect(await humanTurns.open(runId)).toBeNull();
  });

  test('that were never put have no answer', async () => {
    expect(await db.humanTurns.answer({ runId: await startRun(), step: 9, try: 0 }, 'ls')).toBeNull();
  });
});
