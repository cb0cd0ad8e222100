import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, answerListener, openDatabase } from '../../db/index.js';
import type { ChatMessage } from '../../domain/model/model.js';
import type { Prompt, TurnKey } from '../../domain/ports/player.js';
import type { RunDefinition } from '../../domain/run/run.js';
import { externalPlayer } from '../../models/external-player.js';
import { run, submission, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { answerWithin } from '../../activities/answer-within.js';

const server = sharedDatabases();
let url: string;
let db: Database;
beforeAll(async () => {
  url = await server.createDatabase();
  db = openDatabase(url);
});

/** How many turns of a run a worker listens for. */
async function listenedTo(runId: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('select from turns where run_id = $1 and listened_until > now()', [runId]);
  await client.end();
  return rows.length;
}
afterAll(async () => {
  await db.close();
});

const messages: ChatMessage[] = [
  { role: 'user', content: 'What now?' },
  { role: 'tool', content: 'NUL: \0, "quotes", 日本', toolCallId: 'c1' },
];
const tools = [{ name: 'bash', description: 'runs it', parameters: { type: 'object' } }];
const question: Prompt = { messages };
const cancelled = { endReason: 'cancelled', finalEvaluation: 'not_run', detail: null } as const;

async function startRuns(count = 1, change: Partial<RunDefinition> = {}): Promise<RunDefinition[]> {
  const model = { name: 'external', kind: 'external', provider: 'external', model: 'external' } as const;
  const batch = submission(null, (batchId) =>
    Array.from({ length: count }, (_, nth) => ({ ...run(batchId, task('t'), 'm', nth + 1), model, ...change })),
  );
  await db.intake.submit(batch);
  return batch.runs;
}
const startRun = async (): Promise<string> => (await startRuns())[0]!.runId;

describe('turns of players outside', () => {
  test('are open until the answer, and the first answer counts', async () => {
    const { turns } = db;
    const runId = await startRun();
    const turn = { runId, step: 1, try: 0 };
    expect(await turns.open({ runId })).toEqual([]);
    expect(await turns.ask(turn, { messages, tools })).toBeNull();
    const shown = [messages[0], { ...messages[1], content: 'NUL: \uFFFD, "quotes", 日本' }];
    expect(await turns.open({ runId })).toEqual([
      { ...turn, messages: shown, tools, requestedAt: expect.any(Date) as Date },
    ]);
    expect(await turns.answer(turn, 'ls \0')).toEqual({ reply: 'ls \uFFFD', counts: true, heard: false });
    expect(await turns.answer(turn, 'pwd')).toEqual({ reply: 'ls \uFFFD', counts: false, heard: false });
    expect(await turns.answer(turn, 'ls \0')).toEqual({ reply: 'ls \uFFFD', counts: true, heard: false });
    expect(await turns.ask(turn, { messages })).toBe('ls \uFFFD');
    expect(await turns.open({ runId })).toEqual([]);
  });

  test('reach a worker that listens, whose run needs no signal, and no other', async () => {
    const { turns } = db;
    const runId = await startRun();
    const turn = { runId, step: 1, try: 0 };
    const signal = new AbortController().signal;
    const answers = answerListener(url);
    try {
      await turns.ask(turn, question);
      const waits = answerWithin({ turns, answers }, turn, 60_000, signal);
      await expect.poll(() => listenedTo(runId)).toBe(1);
      expect(await turns.answer(turn, 'ls')).toEqual({ reply: 'ls', counts: true, heard: true });
      expect(await waits).toBe(true);

      const next = { ...turn, step: 2 };
      await turns.ask(next, question);
      expect(await answerWithin({ turns, answers }, next, 1, signal)).toBe(false);
      expect(await turns.answer(next, 'ls')).toEqual({ reply: 'ls', counts: true, heard: false });
      expect(await answerWithin({ turns, answers }, next, 60_000, signal)).toBe(true);
    } finally {
      await answers.close();
    }
  });

  test('answered by many at once have one answer, and all are told which', async () => {
    const turn = { runId: await startRun(), step: 1, try: 0 };
    await db.turns.ask(turn, question);
    const told = await Promise.all(Array.from({ length: 8 }, (_, i) => db.turns.answer(turn, `echo ${i}`)));
    expect(told.filter((one) => one?.counts)).toHaveLength(1);
    expect(new Set(told.map((one) => one?.reply)).size).toBe(1);
  });

  test('asked again by another worker stay as they are, with their answer', async () => {
    const { turns } = db;
    const turn = { runId: await startRun(), step: 1, try: 0 };
    await turns.ask(turn, question);
    await turns.answer(turn, 'ls');
    expect(await turns.ask(turn, { messages: [{ role: 'user', content: 'something else' }] })).toBe('ls');
    expect(await turns.open({ runId: turn.runId })).toEqual([]);
  });

  test('are told apart by step and requery; after the end nobody is asked, and only what was answered has an answer', async () => {
    const { turns } = db;
    const runId = await startRun();
    await turns.ask({ runId, step: 1, try: 0 }, question);
    await turns.answer({ runId, step: 1, try: 0 }, '?');
    await turns.ask({ runId, step: 1, try: 1 }, question);
    expect(await turns.open({ runId })).toMatchObject([{ step: 1, try: 1, tools: null }]);
    await db.store.finishRun(runId, cancelled);
    expect(await turns.open({ runId })).toEqual([]);
    expect(await turns.answer({ runId, step: 1, try: 1 }, 'ls')).toBeNull();
    expect(await turns.answer({ runId, step: 1, try: 0 }, '?')).toEqual({ reply: '?', counts: true, heard: false });
  });

  test('of a batch are listed, one a run', async () => {
    const runs = await startRuns(3);
    const [first, second, third] = runs.map(({ runId }) => ({ runId, step: 1, try: 0 }));
    for (const turn of [first!, second!, third!]) await db.turns.ask(turn, question);
    await db.turns.answer(second!, 'ls');
    const open = await db.turns.open({ batchId: runs[0]!.batchId });
    expect(open.map(({ runId }) => runId).sort()).toEqual([first!.runId, third!.runId].sort());
  });

  test('that were never asked have no answer', async () => {
    expect(await db.turns.answer({ runId: await startRun(), step: 9, try: 0 }, 'ls')).toBeNull();
  });

  test('whose answer was not taken up are found, until it is, or the run ends', async () => {
    const runs = await startRuns(4);
    const player = externalPlayer(db.store, db.turns);
    const keys = runs.map(({ runId }): TurnKey => ({ runId, step: 1, try: 0 }));
    for (const key of keys) await db.turns.ask(key, question);
    for (const key of keys.slice(1)) await db.turns.answer(key, 'ls');
    await player.next(runs[2]!, keys[2]!, question, new AbortController().signal);
    await db.store.finishRun(runs[3]!.runId, cancelled);
    const mine = (found: TurnKey[]) => found.filter(({ runId }) => keys.some((key) => key.runId === runId));
    expect(mine(await db.turns.notTakenUp(0))).toEqual([keys[1]]);
    expect(mine(await db.turns.notTakenUp(60))).toEqual([]);
  });
});

describe('a run that is played from outside', () => {
  const never = new AbortController().signal;
  const player = () => externalPlayer(db.store, db.turns);
  const callsOf = async (runId: string) =>
    (
      await db.pool.query<object>(
        `select try, attempt, status, ms, trim_scale(cost_usd)::text as cost, input_tokens::int as input, output_tokens::int as output
         from model_calls where run_id = $1 order by try, attempt`,
        [runId],
      )
    ).rows;

  test('is asked, however often, without a call on record; the answer is one, that costs nothing and took no time', async () => {
    const [definition] = await startRuns();
    const turn = { runId: definition!.runId, step: 1, try: 0 };
    const asked = { messages: [{ role: 'user' as const, content: '12345678' }] };
    for (let i = 0; i < 3; i++) expect(await player().next(definition!, turn, asked, never)).toEqual({ kind: 'asked' });
    expect(await callsOf(turn.runId)).toEqual([]);
    await db.turns.answer(turn, '```\nls\n```');
    const reply = {
      text: '```\nls\n```',
      usage: expect.objectContaining({
        inputTokens: 2,
        outputTokens: 3,
        cachedTokens: 0,
        reasoningTokens: 0,
      }) as object,
      costUsd: '0',
      finishReason: 'stop',
    };
    for (let i = 0; i < 2; i++)
      expect(await player().next(definition!, turn, asked, never)).toEqual({ kind: 'reply', reply, ms: 0 });
    expect(await callsOf(turn.runId)).toEqual([
      { try: 0, attempt: 1, status: 'confirmed', ms: 0, cost: '0', input: 2, output: 3 },
    ]);
  });

  test('may call a tool', async () => {
    const [definition] = await startRuns();
    const turn = { runId: definition!.runId, step: 1, try: 0 };
    const toolCalls = [{ id: 'call_1', name: 'validate', arguments: '{}' }];
    await player().next(definition!, turn, question, never);
    await db.turns.answer(turn, JSON.stringify({ reply: 1, text: 'Now.', toolCalls }));
    expect(await player().next(definition!, turn, question, never)).toMatchObject({
      reply: { text: 'Now.', toolCalls, finishReason: 'tool_calls' },
    });
  });

  test('at its token limit is not asked any more', async () => {
    const [definition] = await startRuns(1, { tokenLimit: 3 });
    const turn = (step: number) => ({ runId: definition!.runId, step, try: 0 });
    await player().next(definition!, turn(1), question, never);
    await db.turns.answer(turn(1), 'echo hello');
    expect(await player().next(definition!, turn(1), question, never)).toMatchObject({ kind: 'reply' });
    expect(await player().next(definition!, turn(1), question, never)).toMatchObject({ kind: 'reply' });
    expect(await player().next(definition!, turn(2), question, never)).toEqual({ kind: 'end', endReason: 'tokens' });
    expect(await db.turns.open({ runId: definition!.runId })).toEqual([]);
  });
});
