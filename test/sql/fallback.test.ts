import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { nextAction } from '../../activities/next-action.js';
import { PromptHistories } from '../../activities/prompt-histories.js';
import { RunDefinitions } from '../../activities/run-definitions.js';
import { type Database, migrate, openDatabase } from '../../db/index.js';
import { type ModelConfig, modelConfigSchema } from '../../domain/model/config.js';
import type { ModelRef } from '../../domain/model/model.js';
import { paidModels } from '../../models/call-model.js';
import { createRateGovernor } from '../../models/rate-governor.js';
import { createProviderModels } from '../../models/provider-models.js';
import {
  type Behaviour,
  type ProviderSimulator,
  type SimulatedRequest,
  startProviderSimulator,
} from '../fakes/provider-simulator/index.js';
import { oneWorker } from '../fakes/one-worker.js';
import { agentConfig } from '../fakes/records.js';
import { oneRun, SUBMITTED, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
let simulator: ProviderSimulator;
let asked: SimulatedRequest[] = [];
beforeAll(async () => {
  const url = await server.createDatabase();
  await migrate(url);
  db = openDatabase(url);
  simulator = await startProviderSimulator({ behaviour: () => answer });
});
afterAll(async () => {
  await simulator.close();
  await db.close();
});
afterEach(() => (asked = []));

const answer = { kind: 'reply' as const, text: 'I look.\n```\nls\n```' };
const refusal = { kind: 'reply' as const, text: 'I cannot help with that.', finishReason: 'refusal' as const };
const configOf = (model: string, output: number, more: object = {}): ModelConfig =>
  modelConfigSchema.parse({
    ...{ schema: 1, description: 'test', provider: 'openai', model, apiKeyVariable: 'OPENAI_API_KEY' },
    ...{ baseUrlVariable: 'OPENAI_BASE_URL' },
    ...{ contextWindow: 100_000, maxOutputTokens: 2000, ...more },
    prices: [{ from: '2024-01-01', input: 1, output }],
  });
const strict = configOf('strict', 5, {
  fallback: { name: 'lenient', config: configOf('lenient', 50, { sampling: { maxOutputTokens: 500 } }) },
});

/** One step of a new run of the model, and its calls. */
async function step(behaviour: Behaviour, config = strict) {
  simulator.behave((request) => {
    asked.push(request);
    return behaviour(request);
  });
  const model: ModelRef = { name: 'm', kind: 'real', provider: 'openai', model: config.model, config };
  const agent = agentConfig({});
  const more = { model, sampling: { maxOutputTokens: 1000 }, agent, agentHash: JSON.stringify(agent) };
  const { runId, batchId } = await oneRun(db, task('t'), { ...more, costLimitUsd: null, tokenLimit: 0 });
  await db.pool.query(`update runs set workspace = '/ws' where run_id = $1`, [runId]);
  const paid = paidModels({
    store: db.store,
    models: createProviderModels({ OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: simulator.openAiBaseUrl }),
    worker: oneWorker,
    governor: createRateGovernor(db.rates),
  });
  const ports = {
    store: db.store,
    definitions: new RunDefinitions(db.store),
    histories: new PromptHistories(),
    players: new Map([['openai', paid]]),
  };
  const turn = () => nextAction(ports, { runId, step: 1 }, undefined, new AbortController().signal);
  const result = await turn();
  const { rows: calls } = await db.pool.query<{ model: string; finish: string; usd: number }>(
    'select model, finish_reason as finish, cost_usd::float8 as usd from model_calls where run_id = $1 order by try',
    [runId],
  );
  return { runId, batchId, result, calls, turn };
}

test('what the model refuses its fallback answers, at its own price, and sees no refusal', async () => {
  const { runId, result, calls, turn } = await step(({ model }) => (model === 'strict' ? refusal : answer));
  expect(result).toMatchObject({ kind: 'action' });
  expect(calls).toMatchObject([
    { model: 'strict', finish: 'refusal' },
    { model: 'lenient', finish: 'stop' },
  ]);
  const [first, second] = asked;
  expect(second!.messages).toEqual(first!.messages);
  expect(second!.body['max_completion_tokens']).toBe(1000);
  expect(calls[1]!.usd).toBeGreaterThan(calls[0]!.usd);
  expect(await turn()).toMatchObject({ kind: 'action' });
  expect(asked).toHaveLength(2);

  await db.store.finishRun(runId, SUBMITTED);
  await db.pool.query('select flag_integrity($1)', [[runId]]);
  const { rows } = await db.pool.query(`select rule, step, detail from integrity_flags where run_id = $1`, [runId]);
  expect(rows).toContainEqual({
    rule: 'other_model',
    step: 1,
    detail: '1 of 2 answers are of lenient, in place of what the model refused',
  });
});

test('a fallback that refuses too is asked for the rest of the step, which ends by refusal', async () => {
  const { result, calls } = await step(() => refusal);
  expect(result).toMatchObject({ kind: 'end', endReason: 'refusal' });
  expect(calls.map(({ model }) => model)).toEqual(['strict', 'lenient', 'lenient']);
});

test('a fallback whose window is too small ends the run by refusal, scored', async () => {
  const { result } = await step(({ model }) => (model === 'strict' ? refusal : { kind: 'context_overflow' }));
  expect(result).toMatchObject({ kind: 'end', endReason: 'refusal' });
});

test('without a fallback the model sees its refusal, and is asked again', async () => {
  const { result, calls } = await step(
    ({ messages }) => (messages.some(({ content }) => content.includes('refusal')) ? answer : refusal),
    configOf('strict', 5),
  );
  expect(result).toMatchObject({ kind: 'action' });
  expect(calls.map(({ model }) => model)).toEqual(['strict', 'strict']);
});
