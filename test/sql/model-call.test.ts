import { type AddressInfo, createServer } from 'node:net';
import type { ApplicationFailure } from '@temporalio/common';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { asFailure } from '../../activities/interceptors/failures.js';
import { callModel, type ModelCallPorts } from '../../models/call-model.js';
import { createProviderModels } from '../../models/provider-models.js';
import { createOpenAiModel } from '../../models/openai.js';
import { reservationUsd } from '../../models/reservation.js';
import { type Database, migrate, openDatabase } from '../../db/index.js';
import { InfrastructureError } from '../../domain/errors.js';
import { type ModelConfig, modelConfigSchema } from '../../domain/model/config.js';
import { addUsd, compareUsd } from '../../domain/model/price.js';
import { FAILURE } from '../../domain/model/messages.js';
import type { ProviderError } from '../../domain/model/provider-error.js';
import type { RunDefinition } from '../../domain/run/run.js';
import { chooseFreePort } from '../../services/index.js';
import { startProviderSimulator, type ProviderSimulator } from '../fakes/provider-simulator/index.js';
import { run, submission, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { oneWorker } from '../fakes/one-worker.js';

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

const modelRef = { name: 'm', kind: 'real', provider: 'openai', model: 'gpt-4o', config } as const;
const granted = {
  kind: 'granted' as const,
  grant: { settled: () => undefined, limited: () => undefined, released: () => undefined },
};

async function oneRun(limits: Partial<RunDefinition> = {}): Promise<RunDefinition> {
  const batch = submission(null, (batchId) => [
    {
      ...run(batchId, task('t'), 'm', 1),
      ...{ model: modelRef, sampling: {} },
      ...{ costLimitUsd: null, tokenLimit: 0, ...limits },
    },
  ]);
  await db.intake.submit(batch);
  return batch.runs[0]!;
}

/** The real store and a real provider's adapter; nothing limits the account. */
function portsAt(baseUrl: string): ModelCallPorts {
  return {
    store: db.store,
    models: new Map([['openai', createOpenAiModel({ config, apiKey: 'sk-test', baseUrl })]]),
    worker: oneWorker,
    governor: {
      acquire: () => Promise.reject(new Error('no account is limited here')),
      flush: () => Promise.resolve(),
    },
  };
}
/** Takes connections, and says nothing: whoever wants TLS waits. */
async function silentServer(): Promise<{ baseUrl: string; connected: Promise<void>; close: () => void }> {
  const server = createServer();
  const connected = new Promise<void>((resolve) => server.once('connection', () => resolve()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `https://127.0.0.1:${port}`, connected, close: () => server.close() };
}
async function chargedTo({ batchId }: RunDefinition): Promise<string> {
  const { rows } = await db.pool.query<{ charged: string }>(
    'select trim_scale(charged_usd)::text as charged from batches where batch_id = $1',
    [batchId],
  );
  return rows[0]!.charged;
}
const withBudget = (definition: RunDefinition, usd: string) =>
  db.pool.query('update batches set budget_usd = $2 where batch_id = $1', [definition.batchId, usd]);
const reservation = { provider: 'openai', model: 'gpt-4o', messages: prompt.messages, reservedUsd: RESERVED };
const ask = (definition: RunDefinition, baseUrl = simulator.openAiBaseUrl) =>
  callModel(portsAt(baseUrl), definition, keyOf(definition), prompt, never);
const keyOf = ({ runId }: RunDefinition) => ({ runId, step: 1, try: 0 });

async function callsOf({ runId }: RunDefinition) {
  const { rows } = await db.pool.query<{ status: string; error: string | null }>(
    'select status, error from model_calls where run_id = $1 order by step, attempt',
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

test('an answer that comes while the database is away is stored when that is back, and not requested again', async () => {
  const definition = await oneRun();
  const asked = simulator.requests.length;
  const ports = portsAt(simulator.openAiBaseUrl);
  let away = 3;
  const settleCall: typeof ports.store.settleCall = (...args) =>
    away-- > 0 ? Promise.reject(new InfrastructureError('Postgres: settleCall failed')) : db.store.settleCall(...args);
  const store = { ...db.store, settleCall };
  expect(await callModel({ ...ports, store }, definition, keyOf(definition), prompt, never)).toMatchObject({
    ...{ kind: 'reply', reply: { text: 'hello' } },
  });
  expect(simulator.requests.length).toBe(asked + 1);
  expect(await callsOf(definition)).toEqual([{ status: 'confirmed', error: null }]);
});

test('an answer of a run that is cancelled while the database is away is not waited for', async () => {
  const definition = await oneRun();
  const ports = portsAt(simulator.openAiBaseUrl);
  const cancelling = new AbortController();
  const store = {
    ...db.store,
    settleCall: () => {
      cancelling.abort(new Error('the run is cancelled'));
      return Promise.reject(new InfrastructureError('Postgres: settleCall failed'));
    },
  };
  const call = callModel({ ...ports, store }, definition, keyOf(definition), prompt, cancelling.signal);
  await expect(call).rejects.toThrow('settleCall failed');
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
  if (endReason !== 'cost') return;
  await db.store.finishRun(definition.runId, { endReason, finalEvaluation: 'not_run', detail: null });
  const { ending } = await db.queries.showRun(definition.runId);
  expect(ending?.why).toMatch(/^the next call might have cost \$\S+, and \$\S+ of \$\S+ were left$/);
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

test('a request that is refused is a wrong setting at first; after answers it is repeated once, and ends the run', async () => {
  const definition = await oneRun();
  const at = (step: number) => ({ ...keyOf(definition), step });
  const call = (step: number) => callModel(portsAt(simulator.openAiBaseUrl), definition, at(step), prompt, never);
  simulator.behave(() => ({ kind: 'bad_request' }));
  await expect(call(1)).rejects.toMatchObject({ kind: 'bad_request', consequence: 'config_error' });
  simulator.behave(hello);
  expect(await call(1)).toMatchObject({ kind: 'reply' });
  const answers = [{ kind: 'bad_request' as const }, hello()];
  simulator.behave(() => answers.shift()!);
  expect(await call(2)).toMatchObject({ kind: 'reply', reply: { text: 'hello' } });
  simulator.behave(() => ({ kind: 'bad_request' }));
  const asked = simulator.requests.length;
  expect(await call(3)).toEqual({ kind: 'end', endReason: 'provider_refused' });
  expect(simulator.requests.length).toBe(asked + 2);
  expect((await db.store.spending(definition.runId)).unconfirmedUsd).toBe('0');
});

test('an answer without a count is charged no more than was set aside for it, however long it is', async () => {
  const definition = await oneRun({ costLimitUsd: '1' });
  simulator.behave(() => ({ kind: 'reply', text: 'a long-winded answer; '.repeat(2000), usageOnWire: 'missing' }));
  const answer = await ask(definition);
  if (answer.kind !== 'reply') throw new Error(`the call came to ${answer.kind}`);
  expect(answer.reply.usageProblem).toBe('the provider sent no token counts');
  expect(compareUsd(answer.reply.costUsd, RESERVED)).toBeLessThanOrEqual(0);
  expect((await db.store.spending(definition.runId)).confirmedUsd).toBe(answer.reply.costUsd);
});

test('an answer dearer than its reservation is an event, and later calls of the model set aside as much', async () => {
  const named = (model: string) => oneRun({ model: { ...modelRef, model } });
  const definition = await named('overrun');
  const overrun = { outputTokens: 9000 };
  simulator.behave(() => ({ kind: 'reply', text: 'more than was asked for', usage: overrun }));
  const answer = await ask(definition);
  if (answer.kind !== 'reply') throw new Error(`the call came to ${answer.kind}`);
  const { costUsd } = answer.reply;
  expect(compareUsd(costUsd, RESERVED)).toBeGreaterThan(0);
  expect(await db.queries.events({ runId: definition.runId })).toMatchObject([
    { kind: 'reservation_exceeded', detail: expect.stringContaining(`cost $${costUsd}`) as string },
  ]);

  simulator.behave(hello);
  const [later, other] = [await named('overrun'), await named('another')];
  for (const one of [later, other]) await ask(one);
  const reserved = async ({ runId }: RunDefinition) => {
    const sql = 'select trim_scale(reserved_usd)::text as usd from model_calls where run_id = $1';
    return (await db.pool.query<{ usd: string }>(sql, [runId])).rows[0]!.usd;
  };
  expect(compareUsd(await reserved(later), costUsd)).toBeGreaterThanOrEqual(0);
  expect(await reserved(other)).toBe(RESERVED);

  // One that is dearer by less lowers nothing.
  const factor = await db.store.reservationFactor('openai', 'overrun');
  const dearer = {
    account: 'openai',
    model: 'overrun',
    factor: 1.01,
    event: { kind: 'rate_limit_learned' as const, key: 'k', detail: '' },
  };
  const last = await named('overrun');
  await db.store.reserveCall(keyOf(last), reservation);
  await db.store.settleCall(keyOf(last), answer.reply, 1, { dearer });
  expect(await db.store.reservationFactor('openai', 'overrun')).toBe(factor);

  const exchange = { account: 'openai', provider: 'openai', arrivals: [], attending: [], parked: [], reports: [] };
  await db.rates.exchange(exchange, 60_000);
  expect(await db.rateControl.accounts()).toMatchObject([{ reservationFactors: { overrun: factor } }]);
  await db.rateControl.reset('openai');
  expect(await db.store.reservationFactor('openai', 'overrun')).toBe(1);
});

test('a call that is cancelled before its request went out is released', async () => {
  const definition = await oneRun();
  await withBudget(definition, '10');
  const silent = await silentServer();
  const cancelled = new AbortController();
  const call = callModel(portsAt(silent.baseUrl), definition, keyOf(definition), prompt, cancelled.signal);
  await silent.connected;
  expect(await chargedTo(definition)).toBe(RESERVED);
  cancelled.abort(new Error('cancelled'));
  await expect(call).rejects.toThrow('cancelled');
  silent.close();
  expect(await callsOf(definition)).toEqual([{ status: 'failed', error: 'not_sent' }]);
  expect(await chargedTo(definition)).toBe('0');
});

test('a call that is cancelled while it waits for its turn has set nothing aside', async () => {
  const definition = await oneRun();
  const cancelled = new AbortController();
  const ports = portsAt(simulator.openAiBaseUrl);
  const limited = {
    ...ports,
    models: new Map([['openai', { ...ports.models.get('openai')!, account: () => 'openai:default' }]]),
    worker: oneWorker,
    governor: {
      ...ports.governor,
      acquire: (_: unknown, signal: AbortSignal) => {
        cancelled.abort(new Error('cancelled'));
        return Promise.reject(signal.reason as Error);
      },
    },
  };
  await expect(callModel(limited, definition, keyOf(definition), prompt, cancelled.signal)).rejects.toThrow(
    'cancelled',
  );
  expect(await callsOf(definition)).toEqual([]);
});

test('a call that no key lets out is released', async () => {
  const definition = await oneRun();
  await withBudget(definition, '10');
  const keyless = { ...portsAt(''), models: createProviderModels({ OPENAI_BASE_URL: simulator.openAiBaseUrl }) };
  const granting = { ...keyless, governor: { ...keyless.governor, acquire: () => Promise.resolve(granted) } };
  await expect(callModel(granting, definition, keyOf(definition), prompt, never)).rejects.toThrow('OPENAI_API_KEY');
  expect(await callsOf(definition)).toEqual([{ status: 'failed', error: 'not_sent' }]);
  expect(await chargedTo(definition)).toBe('0');
});

test('a worker that died before its request went out leaves no charge, one that died after it does', async () => {
  const definition = await oneRun({ costLimitUsd: RESERVED });
  await withBudget(definition, '10');
  await db.store.reserveCall(keyOf(definition), { ...reservation, tellsSending: true });
  expect(await ask(definition)).toMatchObject({ kind: 'reply' });
  const confirmed = { status: 'confirmed', error: null };
  expect(await callsOf(definition)).toEqual([{ status: 'failed', error: 'not_sent' }, confirmed]);
  expect(await chargedTo(definition)).toBe((await db.store.spending(definition.runId)).confirmedUsd);

  const other = await oneRun();
  await withBudget(other, '10');
  await db.store.reserveCall(keyOf(other), { ...reservation, tellsSending: true });
  await db.store.sendingCall(keyOf(other), 1);
  expect(await ask(other)).toMatchObject({ kind: 'reply' });
  expect(await callsOf(other)).toEqual([{ status: 'unconfirmed', error: 'lost' }, confirmed]);
  const { confirmedUsd } = await db.store.spending(other.runId);
  expect(await chargedTo(other)).toBe(addUsd(RESERVED, confirmedUsd));
});

test('a run that ends leaves no call open, and an answer that comes later still counts', async () => {
  const answer = await ask(await oneRun());
  if (answer.kind !== 'reply') throw new Error(`the call came to ${answer.kind}`);
  const definition = await oneRun();
  await withBudget(definition, '10');
  await db.store.reserveCall(keyOf(definition), { ...reservation, tellsSending: true });
  await db.store.sendingCall(keyOf(definition), 1);
  await db.store.reserveCall({ ...keyOf(definition), step: 2 }, { ...reservation, tellsSending: true });
  await db.store.finishRun(definition.runId, { endReason: 'infra_error', finalEvaluation: 'not_run', detail: null });
  expect(await callsOf(definition)).toEqual([
    { status: 'unconfirmed', error: 'lost' },
    { status: 'failed', error: 'not_sent' },
  ]);
  expect(await chargedTo(definition)).toBe(RESERVED);
  await db.store.settleCall(keyOf(definition), answer.reply, 1);
  expect((await callsOf(definition))[0]).toEqual({ status: 'confirmed', error: null });
  expect(await chargedTo(definition)).toBe(answer.reply.costUsd);
});

test('a request whose reservation was released meanwhile does not go out', async () => {
  const definition = await oneRun();
  const ports = portsAt(simulator.openAiBaseUrl);
  const port = ports.models.get('openai')!;
  const late = {
    ...port,
    complete: async (...args: Parameters<typeof port.complete>) => {
      await db.store.releaseUnsent([definition.runId]);
      return port.complete(...args);
    },
  };
  const asked = simulator.requests.length;
  const call = callModel(
    { ...ports, models: new Map([['openai', late]]) },
    definition,
    keyOf(definition),
    prompt,
    never,
  );
  await expect(call).rejects.toThrow('it is not made');
  expect(simulator.requests.length).toBe(asked);
});

test('a run that ends gives back what a call that never went out had set aside', async () => {
  const definition = await oneRun();
  await withBudget(definition, '10');
  await db.store.reserveCall(keyOf(definition), { ...reservation, tellsSending: true });
  expect(await chargedTo(definition)).toBe(RESERVED);
  await db.store.finishRun(definition.runId, { endReason: 'cancelled', finalEvaluation: 'not_run', detail: null });
  expect(await chargedTo(definition)).toBe('0');
});

test('the endpoint of each call is recorded, host and path alone, and shown', async () => {
  const definition = await oneRun();
  const ports = (url: string) => ({
    ...portsAt(''),
    models: createProviderModels({ OPENAI_API_KEY: 'sk-test-key', LAB_URL: url }),
    worker: oneWorker,
    governor: { ...portsAt('').governor, acquire: () => Promise.resolve(granted) },
  });
  const lab = { ...definition, model: { ...modelRef, config: { ...config, baseUrlVariable: 'LAB_URL' } } };
  const port = await chooseFreePort(`closed ${process.pid} ${Date.now()}`);
  const call = (url: string, step = 1) => callModel(ports(url), lab, { ...keyOf(lab), step }, prompt, never);
  await expect(call(`http://127.0.0.1:${port}/dead/v1`)).rejects.toThrow('could not be reached');
  await call(simulator.openAiBaseUrl);
  await db.store.saveAction(lab.runId, 1, { response: 'hello', thought: '', action: 'ls', modelMs: 1 });
  const answering = simulator.openAiBaseUrl.replace('http://', '');
  const dead = `127.0.0.1:${port}/dead/v1`;
  const { endpoints } = await db.queries.showRun(lab.runId);
  expect(endpoints).toEqual([dead, answering].sort().map((endpoint) => ({ endpoint, calls: 1 })));
  expect(await db.queries.trajectory(lab.runId)).toMatchObject([{ endpoint: answering }]);

  await expect(call('http://me:hush@127.0.0.1/v1', 2)).rejects.toThrow(
    'LAB_URL, the address of model m, must not contain',
  );
  const { rows } = await db.pool.query('select endpoint from model_calls where run_id = $1 order by attempt', [
    lab.runId,
  ]);
  expect(JSON.stringify(rows)).not.toContain('hush');
});

test('a key that a server echoes in its answer, or as an error’s code, comes into no row', async () => {
  const apiKey = 'sk-proj-canary-0123456789';
  const definition = await oneRun();
  const ports = {
    ...portsAt(''),
    models: createProviderModels({ OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: simulator.openAiBaseUrl }),
    worker: oneWorker,
    governor: { ...portsAt('').governor, acquire: () => Promise.resolve(granted) },
  };
  const lab = { ...definition, model: { ...modelRef, config: { ...config, baseUrlVariable: 'OPENAI_BASE_URL' } } };
  const call = { id: 'c', name: 'bash', arguments: JSON.stringify({ command: `echo ${apiKey}` }) };
  simulator.behave(({ key }) => ({ kind: 'reply', text: `you sent ${key}, or sk-proj-...6789`, toolCalls: [call] }));
  const answer = await callModel(ports, lab, keyOf(lab), prompt, never);
  expect(answer).toMatchObject({
    reply: { text: 'you sent [redacted], or [redacted]', toolCalls: [{ arguments: '{"command":"echo [redacted]"}' }] },
  });
  simulator.behave(() => ({ kind: 'bad_request', code: `sk-proj-canary-...6789` }));
  const failed = callModel(ports, lab, { ...keyOf(lab), step: 2 }, prompt, never);
  expect(await failed).toEqual({ kind: 'end', endReason: 'provider_refused' });
  const everything = await db.pool.query(
    `select to_jsonb(c)::text as row from model_calls c where run_id = $1 union all select to_jsonb(e)::text from events e where run_id = $1`,
    [definition.runId],
  );
  expect(JSON.stringify(everything.rows)).not.toMatch(/canary|6789/);
});

test('a page in HTML in place of the first answer ends the run as a wrong configuration; after an answer it is waited for', async () => {
  const definition = await oneRun({ costLimitUsd: '1' });
  await withBudget(definition, '10');
  simulator.behave(() => ({ kind: 'not_json' }));
  const error: unknown = await ask(definition).catch((thrown: unknown) => thrown);
  expect(asFailure(error)).toMatchObject({ type: FAILURE.config, nonRetryable: true });
  expect((asFailure(error) as Error).message).toMatch(
    /an HTML page.*m has answered no call of this batch.*bench models test m/,
  );
  expect(await callsOf(definition)).toEqual([{ status: 'failed', error: 'not_an_api' }]);
  expect(await chargedTo(definition)).toBe('0');
  expect(await db.queries.batchStatus(definition.batchId)).toMatchObject({ providerErrors: [{ nextTryAt: null }] });

  simulator.behave(hello);
  await ask(definition);
  simulator.behave(() => ({ kind: 'not_json' }));
  const later = { ...keyOf(definition), step: 2 };
  const call = callModel(portsAt(simulator.openAiBaseUrl), definition, later, prompt, never);
  await expect(call).rejects.toMatchObject({ kind: 'not_an_api', retryable: true, billed: 'no' });
});

test('a dead endpoint is given up after some seconds when the model has not answered yet, else waited for', async () => {
  const port = await chooseFreePort(`closed ${process.pid} ${Date.now()}`);
  const dead = portsAt(`http://127.0.0.1:${port}`);
  const outcomes = async (definition: RunDefinition, step: number, tries: number) => {
    const types: (string | null | undefined)[] = [];
    for (let i = 0; i < tries; i++)
      await callModel(dead, definition, { ...keyOf(definition), step }, prompt, never).catch((error: unknown) => {
        types.push((asFailure(error) as ApplicationFailure).type);
      });
    return types;
  };
  const unreachable = (times: number) => Array<string>(times).fill('Provider:unreachable');
  const first = await oneRun();
  expect(await outcomes(first, 1, 5)).toEqual([...unreachable(4), FAILURE.config]);
  const known = await oneRun();
  await ask(known);
  expect(await outcomes(known, 2, 7)).toEqual(unreachable(7));
});

test('the last error of a provider and the next try are shown, until it answers', async () => {
  const definition = await oneRun();
  const { batchId, runId } = definition;
  await ask(definition);
  const later = { ...keyOf(definition), step: 2 };
  const call = () => callModel(portsAt(simulator.openAiBaseUrl), definition, later, prompt, never);
  simulator.behave(() => ({ kind: 'server_error', status: 500 }));
  const before = Date.now();
  const waits: unknown[] = [];
  for (let i = 0; i < 3; i++) await call().catch((error: unknown) => waits.push((error as ProviderError).retryAfterMs));
  expect(waits).toEqual([500, 1000, 2000]);
  const shown = await db.queries.showRun(runId);
  expect(shown.providerError).toMatchObject({ model: 'm', error: 'server_error', runs: 1 });
  expect(shown.providerError?.detail).toMatch(/openai failed \(gpt-4o: status 500/);
  expect(Date.parse(shown.providerError?.nextTryAt ?? '')).toBeGreaterThanOrEqual(before + 2000);
  const { providerErrors } = await db.queries.batchStatus(batchId);
  expect(providerErrors).toEqual([shown.providerError]);

  simulator.behave(() => ({ kind: 'rate_limit', retryAfter: '300' }));
  const asked = Date.now();
  await expect(call()).rejects.toMatchObject({ retryAfterMs: 300_000 });
  const { nextTryAt } = (await db.queries.batchStatus(batchId)).providerErrors[0]!;
  expect(Date.parse(nextTryAt ?? '')).toBeGreaterThanOrEqual(asked + 300_000);

  simulator.behave(hello);
  await call();
  expect((await db.queries.batchStatus(batchId)).providerErrors).toEqual([]);
  expect((await db.queries.showRun(runId)).providerError).toBeNull();
});
