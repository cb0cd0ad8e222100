import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { asFailure } from '../../activities/failures.js';
import { callModel, type ModelCallPorts } from '../../activities/model-call.js';
import { createOpenAiModel } from '../../activities/models/openai.js';
import { reservationUsd } from '../../activities/models/reservation.js';
import { type Database, migrate, openDatabase } from '../../db/index.js';
import { type ModelConfig, modelConfigSchema } from '../../domain/model-config.js';
import { addUsd } from '../../domain/price.js';
import type { RunDefinition } from '../../domain/run.js';
import { chooseFreePort } from '../../services/index.js';
import { startProviderSimulator, type ProviderSimulator } from '../fakes/provider-simulator/index.js';
import { run, submission, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
let simulator: ProviderSimulator;
beforeAll(async () => {
  const url = await server.createDatabase();
  await migrate(url);
  db = openDatabase(url);
  simulator = await startProviderSimulator({ behaviour: hello });
});
afterAll(async () => {
  await simulator.close();
  await db.close();
});
afterEach(() => simulator.behave(hello));

const hello = () => ({ kind: 'reply' as const, text: 'hello' });
const config: ModelConfig = modelConfigSchema.parse({
  ...{ schema: 1, description: 'test', provider: 'openai', model: 'gpt-4o', apiKeyVariable: 'OPENAI_API_KEY' },
  ...{ contextWindow: 100_000, maxOutputTokens: 2000, sampling: { maxOutputTokens: 1000 } },
  prices: [{ from: '2024-01-01', input: 1, output: 5 }],
});
const prompt = { messages: [{ role: 'user' as const, content: 'count to three, and say each number aloud' }] };
const RESERVED = reservationUsd(config, { ...prompt, sampling: {} }, new Date());
const never = new AbortController().signal;

async function oneRun(limits: Partial<RunDefinition> = {}): Promise<RunDefinition> {
  const batch = submission(null, (batchId) => [
    {
      ...run(batchId, task('t'), 'm', 1),
      ...{ model: { name: 'm', kind: 'real', provider: 'openai', model: 'gpt-4o', config }, sampling: {} },
      ...{ costLimitUsd: null, tokenLimit: 0, ...limits },
    },
  ]);
  await db.submit(batch);
  return batch.runs[0]!;
}

/** The real store and a real provider's adapter; nothing limits the account. */
function portsAt(baseUrl: string): ModelCallPorts {
  return {
    store: db.store,
    models: new Map([['openai', createOpenAiModel({ config, apiKey: 'sk-test', baseUrl })]]),
    governor: {
      acquire: () => Promise.reject(new Error('no account is limited here')),
      flush: () => Promise.resolve(),
    },
  };
}
const ask = (definition: RunDefinition, baseUrl = simulator.openAiBaseUrl) =>
  callModel(portsAt(baseUrl), definition, keyOf(definition), prompt, never);
const keyOf = ({ runId }: RunDefinition) => ({ runId, step: 1, try: 0 });

async function callsOf({ runId }: RunDefinition) {
  const { rows } = await db.pool.query<{ status: string; error: string | null }>(
    'select status, error from model_calls where run_id = $1 order by attempt',
    [runId],
  );
  return rows;
}

test('a provider that cannot be reached costs nothing, however often it is tried', async () => {
  const port = await chooseFreePort(`closed ${process.pid} ${Date.now()}`);
  const definition = await oneRun({ costLimitUsd: RESERVED });
  for (let i = 0; i < 3; i++)
    await expect(ask(definition, `http://127.0.0.1:${port}`)).rejects.toMatchObject({ kind: 'unreachable' });
  expect(await db.store.spending(definition.runId)).toMatchObject({ confirmedUsd: '0', unconfirmedUsd: '0' });
  expect(await ask(definition)).toMatchObject({ kind: 'reply', reply: { text: 'hello' } });
  const refused = { status: 'failed', error: 'unreachable' };
  expect(await callsOf(definition)).toEqual([refused, refused, refused, { status: 'confirmed', error: null }]);
});

test('a call that reached nobody gives back what it took of the account’s rate', async () => {
  const port = await chooseFreePort(`closed ${process.pid} ${Date.now()}`);
  const told: string[] = [];
  const grant = { settled: () => told.push('settled'), limited: () => told.push('limited') };
  const ports = portsAt(`http://127.0.0.1:${port}`);
  const model = { ...ports.models.get('openai')!, account: () => 'openai:default' };
  const governor: ModelCallPorts['governor'] = {
    ...ports.governor,
    acquire: () =>
      Promise.resolve({ kind: 'granted' as const, grant: { ...grant, released: () => told.push('released') } }),
  };
  const definition = await oneRun();
  const limited = { ...ports, models: new Map([['openai', model]]), governor };
  await expect(callModel(limited, definition, keyOf(definition), prompt, never)).rejects.toThrow(
    'could not be reached',
  );
  expect(told).toEqual(['released']);
});

test('a gateway that lost the answer leaves the call as it was reserved; a provider that failed gives it back', async () => {
  const definition = await oneRun();
  for (const status of [504, 500]) {
    simulator.behave(() => ({ kind: 'server_error', status }));
    await expect(ask(definition)).rejects.toMatchObject({ kind: 'server_error', status });
  }
  expect(await callsOf(definition)).toEqual([
    { status: 'unconfirmed', error: 'server_error' },
    { status: 'failed', error: 'server_error' },
  ]);
  expect((await db.store.spending(definition.runId)).unconfirmedUsd).toBe(RESERVED);
});

test.each([
  ['cost', { costLimitUsd: RESERVED }],
  ['tokens', { tokenLimit: 1 }],
  ['context', {}],
] as const)('a stored answer is played though the limit %s forbids a further call', async (endReason, limits) => {
  const definition = await oneRun(limits);
  expect(await ask(definition)).toMatchObject({ kind: 'reply' });
  const asked = simulator.requests.length;
  // As a later worker finds it, whose count of the prompt may be another one.
  const small = { ...definition.model, config: { ...config, contextWindow: 1 } };
  const later = endReason === 'context' ? { ...definition, model: small } : definition;
  expect(await ask(later)).toMatchObject({ kind: 'reply', reply: { text: 'hello' } });

  const next = { ...keyOf(definition), step: 2 };
  expect(await callModel(portsAt(simulator.openAiBaseUrl), later, next, prompt, never)).toEqual({
    kind: 'end',
    endReason,
  });
  expect(simulator.requests.length).toBe(asked);
});

test('a limit that only lost answers exhaust is held, and ends the run by no fault of the agent', async () => {
  const definition = await oneRun({ costLimitUsd: addUsd(RESERVED, RESERVED) });
  simulator.behave(() => ({ kind: 'cut_in_body' }));
  for (let i = 0; i < 2; i++) await expect(ask(definition)).rejects.toMatchObject({ kind: 'connection_cut' });
  const asked = simulator.requests.length;
  const error: unknown = await ask(definition).catch((thrown: unknown) => thrown);
  expect(asFailure(error)).toMatchObject({ type: 'Unrecoverable', nonRetryable: true });
  expect((error as Error).message).toContain(`lost may have cost $${addUsd(RESERVED, RESERVED)}`);
  expect(simulator.requests.length).toBe(asked);
});

test('an agent that has used its limit up has done so, lost answers or not', async () => {
  const definition = await oneRun({ costLimitUsd: addUsd(RESERVED, RESERVED) });
  simulator.behave(() => ({ kind: 'cut_in_body' }));
  await expect(ask(definition)).rejects.toMatchObject({ kind: 'connection_cut' });
  const request = { provider: 'openai', model: 'gpt-4o', messages: prompt.messages, reservedUsd: RESERVED };
  await db.store.reserveCall(keyOf(definition), request);
  const usage = { inputTokens: 6, outputTokens: 2, cachedTokens: 0, reasoningTokens: 0 };
  const costUsd = addUsd(RESERVED, '0.000001');
  await db.store.settleCall(keyOf(definition), { text: 'one', usage, costUsd, finishReason: 'stop' }, 1);
  const next = { ...keyOf(definition), step: 2 };
  expect(await callModel(portsAt(simulator.openAiBaseUrl), definition, next, prompt, never)).toEqual({
    kind: 'end',
    endReason: 'cost',
  });
});
