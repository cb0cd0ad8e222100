import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SubmittedDocument } from '../../domain/views/submissions.js';
import type { PageServerDocument } from '../../domain/views/page.js';
import type { PersonTurn, TakenAnswer } from '../../domain/views/person-turn.js';
import type { RunDetail } from '../../domain/views/runs.js';
import { killService } from '../chaos/kill-service.js';
import { BenchHome } from '../setup/bench-home.js';
import { until } from '../setup/services-home.js';
import { LONG } from '../setup/long.js';

const EDIT = "cat > strategy.py <<'EOF'\ndef row_strategy(history):\n    return 0\nEOF";

let home: BenchHome;
let server: ReturnType<BenchHome['start']>;
let link: PageServerDocument;
beforeAll(async () => {
  home = new BenchHome();
  server = home.start('serve', '--port', '0', '--no-open', '--json');
  let printed = '';
  server.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await until('the page is served', () => /\}\s*$/.test(printed));
  link = JSON.parse(printed) as PageServerDocument;
});
afterAll(async () => {
  server?.kill('SIGKILL');
  await server;
  await home.remove();
});

/** What the page asks of its server. */
async function ask<T>(path: string, body?: object): Promise<T> {
  const token = new URL(link.url).hash.replace('#token=', '');
  const response = await fetch(`${link.address}/api/v1${path}`, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

/** The run's next turn, once it waits. */
async function turnOf(runId: string): Promise<NonNullable<PersonTurn['turn']>> {
  let turn: PersonTurn['turn'] = null;
  await until('a turn waits', async () => (turn = (await ask<PersonTurn>(`/runs/${runId}/turn`)).turn) !== null);
  return turn!;
}

async function answer(runId: string, said: { action: string; thought?: string; raw?: boolean }): Promise<void> {
  const turn = await turnOf(runId);
  const taken = await ask<TakenAnswer>(`/runs/${runId}/turn`, { step: turn.step, try: turn.try, ...said });
  expect(taken.counts).toBe(true);
}

async function submitted(...args: string[]): Promise<{ batchId: string; runId: string }> {
  const batch = await home.json<SubmittedDocument>(
    'submit',
    ...['--models', 'human', '--attempts', '1', '--backend', 'local', ...args],
  );
  return { batchId: batch.batchId!, runId: batch.runs[0]!.runId! };
}

// A thousand games have a standard error of 0.0076.
test('a person plays a run of a batch, through a requery and a killed worker, with one reply per question', async () => {
  const { batchId, runId } = await submitted('--tasks', 'battleOfSexes');
  const first = await turnOf(runId);
  expect(first.messages.map(({ content }) => content).join('\n')).toContain('Write the row player');
  expect((await home.run('status', batchId)).stdout).toContain('1 run waits for a player on the page: bench serve');

  await answer(runId, { action: 'I think I shall look around.', raw: true });
  const again = await turnOf(runId);
  expect([again.step, again.try]).toEqual([1, 1]);
  expect(again.messages.at(-1)?.content).toContain('there was no fenced code block with a command');
  await answer(runId, { action: 'ls' });
  expect((await turnOf(runId)).messages.at(-1)?.content).toContain('strategy.py');

  expect(killService(home, 'worker')).toBe(true);
  for (const action of [EDIT, 'validate', 'submit']) await answer(runId, { action });
  await home.run('watch', batchId);
  expect(await home.json<RunDetail>('show', runId)).toMatchObject({
    ...{
      modelKind: 'human',
      endReason: 'submit',
      steps: 4,
      costUsd: '0',
      finalScore: expect.closeTo(1.44, 1) as number,
    },
  });
  const steps = await home.sql<{ action: string }>(`select action from steps where run_id = $1 order by step`, [runId]);
  expect(steps.map(({ action }) => action)).toEqual(['ls', EDIT, 'validate', 'submit']);
  const calls = await home.sql(
    `select step, try, trim_scale(cost_usd)::text as cost, ms, input_tokens > 0 and output_tokens > 0 as counted
     from model_calls where run_id = $1 and status = 'confirmed' order by step, try`,
    [runId],
  );
  const call = { cost: '0', ms: 0, counted: true };
  expect(calls).toEqual([
    { step: 1, try: 0, ...call },
    { step: 1, try: 1, ...call },
    { step: 2, try: 0, ...call },
    { step: 3, try: 0, ...call },
    { step: 4, try: 0, ...call },
  ]);
});

// Without it, a person plays by fenced replies above.
test.runIf(LONG)('calls tools for an agent that wants tool calls, with thoughts', async () => {
  const { batchId, runId } = await submitted('--tasks', 'battleOfSexes', '--agent', 'tool-calling');
  await answer(runId, { thought: 'I look.', action: 'ls' });
  await answer(runId, { thought: 'Good enough.', action: 'submit' });
  await home.run('watch', batchId);
  const steps = await home.sql(`select thought, action from steps where run_id = $1 order by step`, [runId]);
  expect(steps).toEqual([
    { thought: 'I look.', action: 'ls' },
    { thought: 'Good enough.', action: 'submit' },
  ]);
});

test('a run that its player gives up is cancelled and not scored', async () => {
  const { batchId, runId } = await submitted('--tasks', 'blotto');
  await turnOf(runId);
  await home.run('cancel', runId);
  await home.run('watch', batchId);
  expect(await home.json<RunDetail>('show', runId)).toMatchObject({ endReason: 'cancelled', finalScore: null });
});
