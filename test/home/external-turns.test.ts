import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runWorkflowId } from '../../domain/run/queues.js';
import type { OpenTurn } from '../../domain/ports/turns.js';
import type { Bench } from '../../operations/bench.js';
import { answerTurn } from '../../operations/turns/answer-turn.js';
import { openTurns } from '../../operations/turns/open-turns.js';
import { killService } from '../chaos/kill-service.js';
import { BenchHome } from '../setup/bench-home.js';
import { benchOf } from '../setup/bench-of.js';

let home: BenchHome;
let bench: Bench;
beforeAll(() => {
  home = new BenchHome();
  bench = benchOf(home);
});
afterAll(async () => {
  await bench.close();
  await home.remove();
});

const fenced = (command: string) => ({ text: `\`\`\`\n${command}\n\`\`\`` });

/** A batch of one run whose turns nobody answers but this test. */
async function submit(): Promise<{ batchId: string; runId: string }> {
  const { batchId, runs } = await home.json<{ batchId: string; runs: { runId: string }[] }>(
    ...['submit', '--models', 'external', '--tasks', 'battleOfSexes', '--backend', 'local', '--attempts', '1'],
  );
  return { batchId, runId: runs[0]!.runId };
}

/** The turn that the run waits for, when it does at this step; outages are waited out. */
async function turnAt(ref: string, step: number): Promise<OpenTurn> {
  for (;;) {
    const [turn] = await openTurns(bench, ref).catch(() => bench.reconnect().then(() => []));
    if (turn?.step === step) return turn;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
const ended = (batchId: string) => home.run('watch', batchId);
const actionsOf = async (runId: string) =>
  (await home.sql<{ action: string }>('select action from steps where run_id = $1 order by step', [runId])).map(
    ({ action }) => action.trim(),
  );
const historyOf = async (runId: string) =>
  (await (await bench.temporal()).workflow.getHandle(runWorkflowId(runId)).fetchHistory()).events ?? [];

describe('a run that is played from outside', () => {
  test('takes its turns by operation, the first answer of each, and is recorded as a run that cost nothing', async () => {
    const { batchId, runId } = await submit();
    const turn = await turnAt(batchId, 1);
    expect(turn).toMatchObject({ runId, step: 1, try: 0, tools: null });
    expect(turn.messages.map(({ content }) => content).join('\n')).toContain('Write the row player');
    const given = await Promise.all(['echo one', 'echo two'].map((one) => answerTurn(bench, turn, fenced(one))));
    expect(given.filter(({ counts }) => counts)).toHaveLength(1);
    expect(given[0]!.reply).toEqual(given[1]!.reply);
    expect(given.some(({ delivered }) => delivered)).toBe(true);
    await answerTurn(bench, await turnAt(runId, 2), fenced('submit'));
    await ended(batchId);
    const counted = given.findIndex(({ counts }) => counts);
    expect(await actionsOf(runId)).toEqual([['echo one', 'echo two'][counted], 'submit']);
    expect(await home.json('show', runId)).toMatchObject({
      ...{ modelKind: 'external', model: 'external', endReason: 'submit', costUsd: '0', steps: 2 },
    });
    await expect(answerTurn(bench, { runId, step: 3, try: 0 }, fenced('ls'))).rejects.toThrow(
      'is not waiting for an answer',
    );
  });

  test('uses an answer once that was given while no worker ran', async () => {
    const { batchId, runId } = await submit();
    const turn = await turnAt(runId, 1);
    expect(killService(home, 'worker')).toBe(true);
    expect(await answerTurn(bench, turn, fenced('echo once >> marks'))).toMatchObject({ counts: true });
    // It may not be sure that it was heard.
    expect(await answerTurn(bench, turn, fenced('echo once >> marks'))).toMatchObject({ counts: true });
    await home.json('up');
    await answerTurn(bench, await turnAt(runId, 2), fenced('cat marks'));
    await answerTurn(bench, await turnAt(runId, 3), fenced('submit'));
    await ended(batchId);
    const [step] = await home.sql<{ observation: string }>(
      'select observation from steps where run_id = $1 and step = 2',
      [runId],
    );
    expect(step?.observation.trim()).toBe('once');
    expect(await home.sql('select step, status from model_calls where run_id = $1 order by step', [runId])).toEqual(
      [1, 2, 3].map((one) => ({ step: one, status: 'confirmed' })),
    );
  });

  test('needs no signal while a slice listens for the answer', async () => {
    const { batchId, runId } = await submit();
    const { turns } = await bench.database();
    const turn = await turnAt(runId, 1);
    await expect.poll(() => listens(runId)).toBe(true);
    expect(await turns.answer(turn, fenced('submit').text)).toMatchObject({ counts: true, heard: true });
    await ended(batchId);
    expect(await actionsOf(runId)).toEqual(['submit']);
    expect((await historyOf(runId)).filter((event) => event.workflowExecutionSignaledEventAttributes)).toEqual([]);
  });

  test('finds an answer whose signal was lost, and waits without a trace in its history', async () => {
    const { batchId, runId } = await submit();
    const turn = await turnAt(runId, 1);
    await expect.poll(() => listens(runId)).toBe(true);
    await expect.poll(() => listens(runId), { timeout: 300_000 }).toBe(false);
    await expect.poll(async () => (await historyOf(runId)).at(-1)?.workflowTaskCompletedEventAttributes).toBeTruthy();
    const before = (await historyOf(runId)).length;
    const { turns } = await bench.database();
    // Its sender dies before the signal is sent.
    await turns.answer(turn, fenced('submit').text);
    await ended(batchId);
    expect(await actionsOf(runId)).toEqual(['submit']);
    const history = await historyOf(runId);
    // Nothing came between the question and the worker's signal, which was sent once.
    expect(history[before]?.workflowExecutionSignaledEventAttributes?.signalName).toBe('turnAnswered');
    expect(history.filter((event) => event.workflowExecutionSignaledEventAttributes)).toHaveLength(1);
  });
});

/** Whether a slice of the run waits for its player's answer. */
async function listens(runId: string): Promise<boolean> {
  const [row] = await home.sql<{ listens: boolean }>(
    'select bool_or(listened_until is not null) as listens from turns where run_id = $1',
    [runId],
  );
  return row?.listens === true;
}
