import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Database, migrate, openDatabase } from '../../db/index.js';
import { agentConfigSchema } from '../../domain/agent/config.js';
import { type Program, PROVIDER_OF_CLIENT, type ProgramClient } from '../../domain/agent/program.js';
import { SseReader } from '../../domain/gateway/sse.js';
import { wireOf } from '../../domain/gateway/wires.js';
import { modelConfigSchema } from '../../domain/model/config.js';
import type { RunDefinition } from '../../domain/run/run.js';
import { promptOf } from '../../operations/results/prompt.js';
import { meteredCalls } from '../../models/gateway/metered-calls.js';
import { providerAccess } from '../../models/provider-access.js';
import { createRateGovernor } from '../../models/rate-governor.js';
import { serveGateway } from '../../gateway/serve.js';
import { GatewaySession } from '../../gateway/session.js';
import { startProviderSimulator, type ProviderSimulator } from '../fakes/provider-simulator/index.js';
import { run, submission, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
const KEY = 'canary-key-of-the-provider-0123456789';
const TOKEN = 'bench-token-of-this-run';
let db: Database;
let simulator: ProviderSimulator;
let folder: string;
const open: { session: GatewaySession; run: RunDefinition; close: () => void }[] = [];

const hello = () => ({
  ...{ kind: 'reply' as const, text: 'a text that is long enough to come in several pieces, as answers do' },
  toolCalls: [{ id: 'call_1', name: 'bash', arguments: JSON.stringify({ command: 'ls -la && cat strategy.py' }) }],
});

beforeAll(async () => {
  const url = await server.createDatabase();
  await migrate(url);
  db = openDatabase(url);
  simulator = await startProviderSimulator({ behaviour: hello, keys: [KEY] });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bench-gw-'));
});
afterEach(() => {
  simulator.behave(hello);
  open.splice(0).forEach((one) => one.close());
  rmSync(folder, { recursive: true, force: true });
});
afterAll(async () => {
  await simulator.close();
  await db.close();
});

/** A run's gateway over the real ledger. */
async function gateway(
  client: ProgramClient,
  more: { program?: Partial<Program>; run?: Partial<RunDefinition>; retryMs?: number; holdMs?: number } = {},
) {
  const provider = PROVIDER_OF_CLIENT[client][0]!;
  const config = modelConfigSchema.parse({
    ...{ schema: 1, description: 'test', provider, model: 'the-model', apiKeyVariable: 'THE_KEY' },
    baseUrl: provider === 'anthropic' ? simulator.anthropicBaseUrl : simulator.openAiBaseUrl,
    ...{ contextWindow: 100_000, maxOutputTokens: 1000 },
    prices: [{ from: '2024-01-01', input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 }],
  });
  const agent = agentConfigSchema.parse({
    ...{ schema: 1, description: 'test', systemTemplate: 's', taskTemplate: 't' },
    program: { client, command: 'true', ...more.program },
  });
  const model = { name: 'alias', kind: 'real' as const, provider, model: 'the-model', config };
  const batch = submission(null, (batchId) => [
    {
      ...run(batchId, task('t'), 'alias', 1),
      ...{ model, agent, agentHash: JSON.stringify(agent), sampling: {}, costLimitUsd: null },
      ...more.run,
    },
  ]);
  await db.intake.submit(batch);
  const definition = batch.runs[0]!;
  const program = agent.program!;
  const access = providerAccess({ THE_KEY: KEY });
  const ports = {
    store: db.store,
    governor: createRateGovernor(db.rates),
    access,
    retryMs: more.retryMs ?? 20_000,
    ...(more.holdMs === undefined ? {} : { holdMs: more.holdMs }),
  };
  const calls = meteredCalls(ports, definition);
  const serve = async (epoch: number): Promise<GatewaySession> => {
    const parts = { run: definition, program, epoch, token: TOKEN, store: db.store, calls };
    const session = new GatewaySession(parts);
    const { close } = await serveGateway(session, folder);
    open.push({ session, run: definition, close });
    return session;
  };
  /** Its container is lost, and the program starts again in the next one. */
  const lost = async (epoch: number): Promise<GatewaySession> => {
    open.splice(0).forEach((one) => one.close());
    await db.store.giveUpCalls(definition.runId);
    return serve(epoch);
  };
  return { session: await serve(1), runId: definition.runId, lost };
}

interface Got {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

function send(
  path: string,
  body: unknown,
  { headers = {}, method = 'POST' }: { headers?: Record<string, string>; method?: string } = {},
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest(
      {
        ...{ socketPath: join(folder, 'sock'), path, method, agent: false },
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
      },
      (answer) => {
        let text = '';
        const done = (): void => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
        answer.setEncoding('utf8');
        answer.on('data', (piece: string) => {
          text += piece;
        });
        answer.once('close', done);
        answer.once('error', done);
      },
    );
    asked.once('error', reject);
    asked.end(method === 'POST' ? JSON.stringify(body) : undefined);
  });
}

const asking = (client: ProgramClient, more: Record<string, unknown> = {}) => {
  const model = 'the-model';
  if (client === 'openai-responses')
    return { model, input: [{ type: 'message', role: 'user', content: 'play' }], ...more };
  return { model, max_tokens: 500, messages: [{ role: 'user', content: 'play' }], ...more };
};

const CLIENTS: ProgramClient[] = ['openai-chat', 'openai-responses', 'anthropic'];

async function ledger(runId: string) {
  const { rows } = await db.pool.query<{
    step: number;
    attempt: number;
    status: string;
    cost: string | null;
    id: string;
  }>(
    `select step, attempt, status, trim_scale(cost_usd)::text as cost, run_id || '/' || step || '/' || try || '/' || attempt as id
     from model_calls where run_id = $1 order by step, attempt`,
    [runId],
  );
  return rows;
}

/** Call by call: confirmed calls cost the provider's bill; all else billed is unconfirmed here. */
async function expectBill(runId: string): Promise<void> {
  const billed = new Map(simulator.bill.entries.map((entry) => [entry.callId, entry.costUsd]));
  for (const { id, status, cost } of await ledger(runId)) {
    if (status === 'confirmed') expect([id, cost]).toEqual([id, billed.get(id)]);
    else if (billed.has(id)) expect(status).toBe('unconfirmed');
  }
}

test.each(CLIENTS)(
  '%s: calls are answered, streamed or not, recorded as steps, and cost what the provider bills',
  async (client) => {
    const { runId } = await gateway(client);
    const wire = wireOf(client);
    const plain = await send(wire.path, asking(client));
    expect(plain.status).toBe(200);
    const whole = JSON.parse(plain.text) as Record<string, unknown>;
    const streamed = await send(wire.path, asking(client, { stream: true }));
    expect(streamed.headers['content-type']).toContain('text/event-stream');
    const assembly = wire.assembly({});
    const events = new SseReader().push(streamed.text);
    const shown = events.filter((event) => assembly.add(event));
    // The count is asked for by us, and hidden from a client that did not ask.
    if (client === 'openai-chat') expect(shown.length).toBe(events.length);
    expect(wire.reply(assembly.answer()!)).toEqual(wire.reply(whole));
    expect(wire.reply(whole).toolCalls?.[0]?.name).toBe('bash');
    const steps = await db.queries.trajectory(runId);
    expect(steps.map(({ step, action }) => [step, action])).toEqual(
      [1, 2].map((step) => [step, 'ls -la && cat strategy.py']),
    );
    expect((await ledger(runId)).map(({ status }) => status)).toEqual(['confirmed', 'confirmed']);
    await expectBill(runId);
    expect(simulator.requests.slice(-2).every(({ key }) => key === KEY)).toBe(true);
  },
);

test('what tools bring is the observation of the step that asked for them', async () => {
  const { runId } = await gateway('openai-chat');
  const { text } = await send('/v1/chat/completions', asking('openai-chat'));
  const { choices } = JSON.parse(text) as { choices: { message: Record<string, unknown> }[] };
  const messages = [
    { role: 'user', content: 'play' },
    choices[0]!.message,
    { role: 'tool', tool_call_id: 'call_1', content: 'strategy.py' },
  ];
  await send('/v1/chat/completions', asking('openai-chat', { messages }));
  expect((await db.store.step(runId, 1))?.observation).toBe('strategy.py');
});

test("only the run's token, its paths and its model are let in", async () => {
  await gateway('anthropic');
  const body = asking('anthropic');
  const wrong = await send('/v1/messages', body, { headers: { authorization: 'Bearer of-another-run' } });
  expect([wrong.status, wrong.headers['x-should-retry']]).toEqual([401, 'false']);
  expect(wrong.text).not.toContain('invalid_request_error');
  expect((await send('/v1/messages', body, { headers: { 'x-api-key': 'of-another-run' } })).status).toBe(401);
  expect((await send('/v1/messages', body, { headers: { 'x-api-key': TOKEN } })).status).toBe(200);
  const other = await send('/v1/messages', { ...body, model: 'claude-huge' });
  expect(other.status).toBe(404);
  expect(other.text).toContain('this run is played by alias');
  expect((await send('/v1/responses', asking('openai-responses'))).status).toBe(404);
  expect((await send('/v1/files', {})).status).toBe(404);
  expect((await send('/a/prefix/v1/messages?beta=true', body)).status).toBe(200);
  for (const path of ['/v1/../v1/messages', '/v1//messages', '/v1/messages?key=x', '/v1%2fmessages'])
    expect((await send(path, body)).status, path).toBe(400);
  expect((await send('/', null, { method: 'HEAD' })).status).toBe(200);
  expect((await send('/v1/models', null, { method: 'GET' })).text).toContain('"alias"');
  const counted = await send('/v1/messages/count_tokens?beta=true', body);
  expect(counted.text).toMatch(/^\{"input_tokens":\d+\}$/);
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };
  await expect(send('/v1/responses', null, { method: 'GET', headers: upgrade })).resolves.toMatchObject({
    status: 426,
  });
});

/** Bytes on the socket, as no client library would send them; what is answered. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(join(folder, 'sock'), () => socket.write(bytes));
    socket.setEncoding('utf8');
    socket.on('data', (piece: string) => (text += piece));
    socket.once('error', reject);
    socket.once('close', () => resolve(text));
  });
}

test('a request that two readers may read in two ways, or none should hold, is refused', async () => {
  await gateway('anthropic');
  const before = simulator.requests.length;
  const head = `Authorization: Bearer ${TOKEN}\r\nConnection: close\r\n`;
  const asked = (path: string, more: string, body = '') =>
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:3129\r\n${head}${more}\r\n${body}`;
  const refused: [bytes: string, status: number][] = [
    [asked('http://elsewhere/v1/messages', 'Content-Length: 2\r\n', '{}'), 400],
    [asked('/v1/messages', 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'), 400],
    [asked('/v1/messages', 'Content-Encoding: gzip\r\nContent-Length: 2\r\n', '{}'), 415],
    [asked('/v1/messages', `X-Long: ${'x'.repeat(17_000)}\r\nContent-Length: 2\r\n`, '{}'), 431],
    [`CONNECT elsewhere:443 HTTP/1.1\r\nHost: elsewhere\r\n${head}\r\n`, 400],
    [asked('/v1/messages', 'Content-Length: 2\r\n', '[]'), 400],
  ];
  for (const [bytes, status] of refused)
    expect((await raw(bytes)).split('\r\n')[0], bytes.slice(0, 120)).toContain(` ${status} `);
  expect((await send('/v1/messages', { ...asking('anthropic'), system: 'x'.repeat(33 * 1024 * 1024) })).status).toBe(
    413,
  );
  expect(simulator.requests.length).toBe(before);

  // Of a key that comes twice the provider sees the one that was checked.
  const twice = `{"model":"claude-huge",${JSON.stringify(asking('anthropic')).slice(1)}`;
  expect(await raw(asked('/v1/messages', `Content-Length: ${twice.length}\r\n`, twice))).toContain(' 200 ');
  expect(simulator.requests.at(-1)!.model).toBe('the-model');
});

test('a web page gets nothing, though it knew the token: no model, no call, no upgrade', async () => {
  await gateway('anthropic');
  const before = simulator.requests.length;
  const body = asking('anthropic');
  for (const headers of [
    { origin: 'https://hostile.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:3129' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { host: 'hostile.example:3129' },
    { host: '127.0.0.1:80' },
  ]) {
    const got = [
      await send('/v1/messages', body, { headers }),
      await send('/v1/models', null, { headers, method: 'GET' }),
    ];
    expect(
      got.map(({ status }) => status),
      JSON.stringify(headers),
    ).toEqual([403, 403]);
    for (const one of got) expect(one.headers).not.toHaveProperty('access-control-allow-origin');
  }
  expect(await raw(`GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)).toContain(
    ' 426 ',
  );
  expect(simulator.requests.length).toBe(before);
  expect((await send('/v1/messages', body, { headers: { host: '127.0.0.1:3129' } })).status).toBe(200);
});

test('a refusal reaches a client that closes its connections and sends its body late', async () => {
  await gateway('anthropic');
  const lines = (path: string, token: string) =>
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:3129\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\nContent-Length: 200000\r\n\r\n`;
  const late = (head: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let text = '';
      // As Python's urllib: it reads once the body is out, and breaks off if that fails.
      const socket = connect({ path: join(folder, 'sock'), allowHalfOpen: true }, () => {
        socket.write(head);
        setTimeout(() => socket.end(Buffer.alloc(200_000, 'x')), 100);
      });
      socket.setEncoding('utf8');
      socket.on('data', (piece: string) => (text += piece));
      socket.once('error', reject);
      socket.once('close', () => resolve(text));
    });
  expect(await late(lines('/v1/messages', 'of-another-run'))).toContain(' 401 ');
  expect(await late(lines('/v1/files', TOKEN))).toContain(' 404 ');
  expect(await late(lines('/v1//messages', TOKEN))).toContain(' 400 ');
});

test('nothing goes to the provider that would have it reach out, run or keep things', async () => {
  await gateway('anthropic', { program: { otherModels: 'rewrite' } });
  const own = { name: 'Bash', description: 'runs', input_schema: { type: 'object' } };
  await send('/v1/messages', {
    ...asking('anthropic', { model: 'some-haiku', max_tokens: 64_000, mcp_servers: [{}], service_tier: 'auto' }),
    tools: [own, { type: 'web_search_20250305', name: 'web_search' }],
    tool_choice: { type: 'tool', name: 'web_search' },
    thinking: { type: 'enabled', budget_tokens: 63_999 },
    metadata: { user_id: 'a-session' },
  });
  const { body } = simulator.requests.at(-1)!;
  expect(Object.keys(body).sort()).toEqual(['max_tokens', 'messages', 'metadata', 'model', 'tools']);
  expect(body).toMatchObject({ model: 'the-model', max_tokens: 1000, tools: [own] });
  expect(JSON.stringify(body['metadata'])).not.toContain('a-session');
  const source = { type: 'url', url: 'http://example.org/a.png' };
  const image = { role: 'user', content: [{ type: 'image', source }] };
  expect((await send('/v1/messages', asking('anthropic', { messages: [image] }))).status).toBe(400);
});

test.each(CLIENTS)('%s: a limit below zero is refused as its provider would, and costs nothing', async (client) => {
  const { session, runId } = await gateway(client, { run: { costLimitUsd: '1' } });
  const key = client === 'openai-responses' ? 'max_output_tokens' : 'max_tokens';
  const before = simulator.requests.length;
  for (const value of [-2_000_000_000, 0, 1.5, '5']) {
    const { status, text } = await send(wireOf(client).path, asking(client, { [key]: value }));
    expect([status, JSON.parse(text)]).toMatchObject([400, { error: { type: 'invalid_request_error' } }]);
  }
  expect(simulator.requests.length).toBe(before);
  expect(await ledger(runId)).toEqual([]);
  expect([session.fatal, session.lastFault]).toEqual([null, null]);
  expect((await send(wireOf(client).path, asking(client))).status).toBe(200);
});

test.each([
  ['reserved', 'step = 1', ['confirmed']],
  ['settled', "step = 1 and status = 'confirmed'", ['unconfirmed', 'confirmed']],
])('a constraint that a call violates when it is %s fails that call alone', async (_when, violates, statuses) => {
  const { session, runId } = await gateway('anthropic', { run: { costLimitUsd: '1' } });
  await db.pool.query(
    `alter table model_calls add constraint of_this_test check (not (run_id = '${runId}' and ${violates}))`,
  );
  try {
    expect((await send('/v1/messages', asking('anthropic'))).status).toBe(400);
    expect([session.fatal, session.lastFault]).toEqual([null, null]);
    expect((await send('/v1/messages', asking('anthropic'))).status).toBe(200);
    expect((await ledger(runId)).map(({ status }) => status)).toEqual(statuses);
    await session.settled();
  } finally {
    await db.pool.query('alter table model_calls drop constraint of_this_test');
  }
});

test("megabytes that do not fit into the context are the program's fault, and those that do are sent", async () => {
  const { session } = await gateway('anthropic');
  const before = simulator.requests.length;
  const hexadecimal = (bytes: number) => [{ role: 'user', content: '0123456789abcdef'.repeat(bytes / 16) }];
  const long = await send('/v1/messages', asking('anthropic', { messages: hexadecimal(6_000_000) }));
  expect([long.status, long.text]).toEqual([400, expect.stringContaining('too long')]);
  const nested = await send(
    '/v1/messages',
    asking('anthropic', { messages: JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`) }),
  );
  expect(nested.status).toBe(400);
  expect(simulator.requests.length).toBe(before);
  expect((await send('/v1/messages', asking('anthropic', { messages: hexadecimal(1_200_000) }))).status).toBe(200);
  expect([session.fatal, session.lastFault]).toEqual([null, null]);
});

test.each([
  ['anthropic', {}, 429, 'billing_error', 'false'],
  ['openai-responses', {}, 429, 'insufficient_quota', undefined],
  ['openai-chat', { 'user-agent': 'OpenAI/Python 1.0' }, 401, 'insufficient_quota', 'false'],
  ['anthropic', { 'user-agent': 'litellm/1.1' }, 401, 'billing_error', 'false'],
] as const)(
  '%s %j is ended at its limit by %i %s, and the run by max_steps',
  async (client, headers, status, type, again) => {
    const { session, runId } = await gateway(client, { run: { maxSteps: 1 } });
    const { path } = wireOf(client);
    expect((await send(path, asking(client), { headers })).status).toBe(200);
    const refused = await send(path, asking(client), { headers });
    expect([refused.status, refused.headers['x-should-retry'], refused.headers['retry-after']]).toEqual([
      status,
      again,
      undefined,
    ]);
    expect((JSON.parse(refused.text) as { error: { type: string } }).error.type).toBe(type);
    expect(session.limit).toBe('max_steps');
    await session.mustStop();
    expect(await ledger(runId)).toHaveLength(1);
  },
);

test("calls made at once see each other's reservations, and none exceeds the cost limit", async () => {
  // One call reserves a little over 0.0025 dollars: its output at most.
  const { session, runId } = await gateway('openai-chat', { run: { costLimitUsd: '0.0052' } });
  const all = await Promise.all(Array.from({ length: 6 }, () => send('/v1/chat/completions', asking('openai-chat'))));
  const answered = all.filter(({ status }) => status === 200).length;
  expect(answered).toBeGreaterThan(0);
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set(answered === 6 ? [200] : [200, 401]));
  const { confirmedUsd } = await db.store.spending(runId);
  expect(Number(confirmedUsd)).toBeLessThanOrEqual(0.0052);
  expect(session.fatal).toBeNull();
});

test.each(CLIENTS)('%s: 500 and 429 are tried again inside, and cost nothing', async (client) => {
  const { session, runId } = await gateway(client);
  const faults = [{ kind: 'server_error' as const }, { kind: 'rate_limit' as const, retryAfter: '1' }];
  simulator.behave(() => faults.shift() ?? hello());
  const { path } = wireOf(client);
  expect((await send(path, asking(client, { stream: true }))).status).toBe(200);
  expect((await ledger(runId)).map(({ status }) => status)).toEqual(['failed', 'failed', 'confirmed']);
  expect(session.waited.seconds).toBeGreaterThan(0.9);
  await expectBill(runId);
});

test('a call that cannot be answered in time is given up with a time to come back, and after six times no longer tried', async () => {
  const { runId } = await gateway('openai-chat', { retryMs: 0 });
  simulator.behave(() => ({ kind: 'server_error' }));
  const before = simulator.requests.length;
  for (let time = 1; time <= 8; time++) {
    const { status, headers } = await send('/v1/chat/completions', asking('openai-chat'));
    expect(status).toBe(503);
    expect(headers['retry-after']).toMatch(/^([1-9]|[12]\d|30)$/);
  }
  expect(simulator.requests.length - before).toBe(6);
  expect((await ledger(runId)).map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'failed'));
  // Another request is another matter.
  simulator.behave(hello);
  expect((await send('/v1/chat/completions', asking('openai-chat', { max_tokens: 400 }))).status).toBe(200);
});

test('a call that waits for its turn at the provider is held no longer than clients wait', async () => {
  const { runId } = await gateway('openai-responses', { retryMs: 0 });
  simulator.behave(() => ({ kind: 'rate_limit', retryAfter: '3600' }));
  const { status, headers } = await send('/v1/responses', asking('openai-responses'));
  expect([status, headers['retry-after']]).toEqual([429, '30']);
  expect((await ledger(runId)).map(({ status: of }) => of)).toEqual(['failed']);
});

test('no more calls are under way at once than the program may have', async () => {
  await gateway('anthropic', { program: { callsInFlight: 2 } });
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  simulator.behave(async () => {
    await released;
    return hello();
  });
  const before = simulator.requests.length;
  const first = [1, 2].map(() => send('/v1/messages', asking('anthropic')));
  await expect.poll(() => simulator.requests.length).toBe(before + 2);
  const third = await send('/v1/messages', asking('anthropic'));
  expect([third.status, third.headers['retry-after']]).toEqual([429, '1']);
  release();
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200]);
  expect((await send('/v1/messages', asking('anthropic'))).status).toBe(200);
});

test('of what identifies a client nothing goes on: calls have our names', async () => {
  const { runId } = await gateway('openai-responses');
  const headers = {
    ...{ 'x-client-request-id': 'constant', 'openai-organization': 'theirs', cookie: 'a=b', 'x-stainless-os': 'Linux' },
    ...{ 'user-agent': 'codex_exec/0.1', 'x-openai-internal-codex-responses-lite': 'true', 'x-session': 'of-theirs' },
  };
  const more = { prompt_cache_key: 'of-theirs', client_metadata: { session: 'of-theirs' } };
  expect((await send('/v1/responses', asking('openai-responses', more), { headers })).status).toBe(200);
  const { headers: sent, body, callId } = simulator.requests.at(-1)!;
  expect(callId).toBe((await ledger(runId))[0]!.id);
  expect(body['prompt_cache_key']).toBe(`bench-${runId}`);
  expect(sent['x-openai-internal-codex-responses-lite']).toBe('true');
  expect(Object.keys(sent)).not.toEqual(expect.arrayContaining(['cookie']));
  expect(JSON.stringify([sent, body])).not.toMatch(/theirs|constant|codex_exec|x-stainless/);

  await gateway('anthropic');
  const betas = { 'anthropic-beta': 'interleaved-thinking-2025-05-14,mcp-client-2025-04-04, files-api-2025-04-14' };
  expect((await send('/v1/messages', asking('anthropic'), { headers: betas })).status).toBe(200);
  expect(simulator.requests.at(-1)!.headers['anthropic-beta']).toBe('interleaved-thinking-2025-05-14');
});

test('a stream that is cut while its events are held is asked again, unseen by the client', async () => {
  const { runId } = await gateway('anthropic');
  let cuts = 2;
  simulator.behave(() => (cuts-- > 0 ? { kind: 'cut_in_body' } : hello()));
  const whole = await send('/v1/messages', asking('anthropic', { stream: true }));
  expect(whole.status).toBe(200);
  expect(whole.text.match(/event: message_start/g)).toHaveLength(1);
  expect(whole.text).toContain('message_stop');
  expect((await ledger(runId)).map(({ status }) => status)).toEqual(['unconfirmed', 'unconfirmed', 'confirmed']);
  await expectBill(runId);
});

test('a stream that is cut later is cut for the client, counts as its reservation, and is asked and paid again', async () => {
  const { runId } = await gateway('anthropic', { holdMs: 0 });
  simulator.behave(() => ({ kind: 'cut_in_body' }));
  const cut = await send('/v1/messages', asking('anthropic', { stream: true }));
  expect(cut.text).toContain('message_start');
  expect(cut.text).not.toContain('message_stop');
  simulator.behave(hello);
  expect((await send('/v1/messages', asking('anthropic'))).status).toBe(200);
  expect((await ledger(runId)).map(({ status }) => status)).toEqual(['unconfirmed', 'confirmed']);
  await expectBill(runId);
});

test('a request that the provider does not accept is told in its words; a refused key ends the run', async () => {
  const { session } = await gateway('openai-chat');
  simulator.behave(() => ({ kind: 'context_overflow' }));
  const told = await send('/v1/chat/completions', asking('openai-chat'));
  expect(told.status).toBe(400);
  expect(told.text).toContain('maximum context length');
  simulator.behave(() => ({ kind: 'unauthorized' }));
  const ours = await send('/v1/chat/completions', asking('openai-chat'));
  expect([ours.status, Number(ours.headers['retry-after']) <= 30]).toEqual([503, true]);
  expect(told.text + ours.text).not.toContain(KEY);
  await session.mustStop();
  expect(session.fatal?.message).toContain('does not accept the key');
});

test('a refused key or a 404 after good answers passes, or ends the run as the refusal of the provider', async () => {
  const { session, runId } = await gateway('openai-chat', { retryMs: 1500 });
  const said = async (): Promise<number> => (await send('/v1/chat/completions', asking('openai-chat'))).status;
  simulator.behave(hello);
  expect(await said()).toBe(200);
  let refusals = 1;
  simulator.behave(() => (refusals-- > 0 ? { kind: 'not_found' } : hello()));
  expect([await said(), session.lastFault]).toEqual([200, null]);
  simulator.behave(() => ({ kind: 'unauthorized' }));
  expect(await said()).toBe(401);
  await session.mustStop();
  expect([session.limit, session.fatal]).toEqual(['provider_refused', null]);
  const [first, ...more] = (await ledger(runId)).map(({ status }) => status);
  expect([first, ...more.slice(0, 3)]).toEqual(['confirmed', 'failed', 'confirmed', 'failed']);
  expect(new Set(more.slice(3))).toEqual(new Set(['failed']));
});

test('an account without credit ends the run, also where the provider says so with 400', async () => {
  const { session } = await gateway('anthropic');
  simulator.behave(() => ({ kind: 'quota' }));
  const answer = await send('/v1/messages', asking('anthropic'));
  expect(answer.status).toBe(503);
  expect(answer.text).not.toContain('credit');
  await session.mustStop();
  expect(session.fatal?.message).toContain('no credit left');
});

test('the answer of a client that went away is read, paid, and handed out once to the next who asks the same', async () => {
  const { session, runId } = await gateway('anthropic');
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  simulator.behave(async () => {
    await released;
    return hello();
  });
  const body = asking('anthropic', { stream: true });
  const asked = httpRequest({
    ...{ socketPath: join(folder, 'sock'), path: '/v1/messages', method: 'POST', agent: false },
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  const before = simulator.requests.length;
  asked.on('error', () => undefined);
  asked.end(JSON.stringify(body));
  await expect.poll(() => simulator.requests.length).toBe(before + 1);
  asked.destroy();
  await expect.poll(() => session.orphaned).toBe(1);
  const again = send('/v1/messages', asking('anthropic'));
  release();
  expect((await again).status).toBe(200);
  expect(simulator.requests.length).toBe(before + 1);
  expect(await ledger(runId)).toHaveLength(1);
  // Once: a twin pays for itself.
  expect((await send('/v1/messages', asking('anthropic'))).status).toBe(200);
  expect(await ledger(runId)).toHaveLength(2);
  await expectBill(runId);
});

test('twins that ask the same at once are two calls', async () => {
  const { runId } = await gateway('anthropic');
  const twins = await Promise.all([1, 2].map(() => send('/v1/messages', asking('anthropic'))));
  expect(twins.map(({ status }) => status)).toEqual([200, 200]);
  expect(await ledger(runId)).toHaveLength(2);
});

test('of a worker that died, calls count as their reservations', async () => {
  const { runId } = await gateway('anthropic');
  const key = { runId, step: 1, try: 0 };
  await db.store.claimStep(runId, 'a-call', 1, {
    ...{ most: 50, agent: '', wire: 'anthropic', fingerprint: 'f', likeness: 'l' },
  });
  await db.store.reserveCall(key, { provider: 'anthropic', model: 'the-model', messages: [], reservedUsd: '0.5' });
  await db.store.giveUpCalls(runId);
  expect((await ledger(runId)).map(({ status }) => status)).toEqual(['unconfirmed']);
  expect((await db.store.spending(runId)).unconfirmedUsd).toBe('0.5');
  expect((await db.store.step(runId, 1))?.observation).toBe('[the answer was lost]');
  expect(await db.store.claimStep(runId, 'a-call', 1)).toBe(1);
  expect(await db.store.claimStep(runId, 'another', 1)).toBe(2);
});

/** A client's conversation after so many answers, at one of its possible starts. */
function told(answers: readonly string[], moment: { date: string; session: string; took: string }) {
  const results = answers.flatMap((text, index) => [
    { role: 'assistant', content: [{ type: 'tool_use', id: `t${index}`, name: 'Bash', input: { command: text } }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `t${index}`, content: `${text} done in ${moment.took}` }],
    },
  ]);
  const first = { role: 'user', content: `Today is ${moment.date}. ${'Play the game well. '.repeat(20)}` };
  const metadata = { user_id: JSON.stringify({ session_id: moment.session }) };
  return asking('anthropic', { messages: [first, ...results], metadata });
}
const FIRST = { date: '2026-11-25', session: 'aaaa', took: '0.31 s' };
const AGAIN = { date: '2026-11-26', session: 'bbbb', took: '1.7 s' };

test('a program that is started again is told what it was told, free, as long as it asks alike; then it asks anew', async () => {
  const { runId, lost } = await gateway('anthropic');
  const answers = ['one', 'two', 'three'];
  simulator.behave(({ messages }) => ({ kind: 'reply', text: `answer ${messages.length}` }));
  for (const at of [0, 1, 2]) await send('/v1/messages', told(answers.slice(0, at), FIRST));
  const before = simulator.requests.length;
  const textOf = ({ text }: Got): unknown =>
    wireOf('anthropic').reply(JSON.parse(text) as Record<string, unknown>).text;

  await lost(2);
  simulator.behave(() => ({ kind: 'reply', text: 'another way' }));
  expect(textOf(await send('/v1/messages', told([], AGAIN)))).toBe('answer 1');
  const streamed = await send('/v1/messages', { ...told(['one'], AGAIN), stream: true });
  expect(streamed.text).toContain('message_stop');
  expect(simulator.requests.length).toBe(before);
  expect(await ledger(runId)).toHaveLength(3);
  // What a tool brought differs: so must the answer, and all that followed it.
  expect(textOf(await send('/v1/messages', told(['one', 'else'], AGAIN)))).toBe('another way');
  expect(textOf(await send('/v1/messages', told(['one', 'two'], AGAIN)))).toBe('another way');
  expect(await ledger(runId)).toHaveLength(5);
  const { rows } = await db.pool.query<{ detail: string }>(
    "select detail from events where run_id = $1 and kind = 'program_diverged'",
    [runId],
  );
  expect(rows.map(({ detail }) => detail)).toEqual([expect.stringContaining('1 recorded answers are left behind')]);

  // The third container follows the second one's way.
  const asked = simulator.requests.length;
  await lost(3);
  expect(textOf(await send('/v1/messages', told([], FIRST)))).toBe('answer 1');
  expect(textOf(await send('/v1/messages', told(['one'], FIRST)))).toBe('answer 3');
  expect(textOf(await send('/v1/messages', told(['one', 'else'], FIRST)))).toBe('another way');
  expect(simulator.requests.length).toBe(asked);
  await expectBill(runId);
});

test("the record is told agent by agent, each answer once, and survives the worker's death on the way", async () => {
  const { lost } = await gateway('anthropic');
  let n = 0;
  simulator.behave(() => ({ kind: 'reply', text: `answer ${++n}` }));
  const of = (agent: string) => ({ headers: agent === '' ? {} : { 'x-claude-code-agent-id': agent } });
  for (const agent of ['', 'a', 'a']) await send('/v1/messages', told([], FIRST), of(agent));
  const textOf = async (agent: string): Promise<string> => {
    const { text } = await send('/v1/messages', told([], AGAIN), of(agent));
    return wireOf('anthropic').reply(JSON.parse(text) as Record<string, unknown>).text;
  };
  await lost(2);
  expect(await textOf('a')).toBe('answer 2');
  await lost(2);
  expect([await textOf(''), await textOf('a')]).toEqual(['answer 1', 'answer 3']);
  expect(await textOf('a')).toBe('answer 4');
});

test('an answer that its container was lost before getting is part of the record, and not left behind', async () => {
  const { runId, lost } = await gateway('anthropic');
  await send('/v1/messages', told([], FIRST));
  await db.store.clientDisconnected(runId, 1);
  await lost(2);
  const before = simulator.requests.length;
  expect((await send('/v1/messages', told([], FIRST))).status).toBe(200);
  expect(simulator.requests.length).toBe(before);
  expect(await db.store.leaveRecord(runId, 2, '')).toBe(0);
});

test('what is sent is kept, its long parts once; counts of tokens are kept and asked for once', async () => {
  const { runId, lost } = await gateway('anthropic');
  await send('/v1/messages', told([], FIRST));
  await send('/v1/messages', told(['one'], FIRST));
  const sent = simulator.requests.slice(-2).map(({ body }) => body);
  expect(await db.queries.programRequest(runId, 1)).toEqual(sent[0]);
  expect(await db.queries.programRequest(runId, 2)).toEqual(sent[1]);
  const prompt = await promptOf(db, runId, 2);
  expect(prompt).toMatchObject({ source: 'recorded', turns: [{ proof: 'equal' }] });
  expect(prompt.messages.at(-1)?.content).toBe('one done in 0.31 s');
  const { rows } = await db.pool.query<{ parts: number }>(
    'select count(*)::int as parts from program_parts where run_id = $1',
    [runId],
  );
  expect(rows[0]!.parts).toBe(1);
  const before = simulator.counted;
  const count = (moment: typeof FIRST) => send('/v1/messages/count_tokens', told([], moment));
  const first = await count(FIRST);
  expect(await count(FIRST)).toMatchObject({ status: 200, text: first.text });
  await lost(2);
  expect(await count(AGAIN)).toMatchObject({ status: 200, text: first.text });
  expect(simulator.counted - before).toBe(1);
});

test('a validation that a lost container had is known to the next one until its program asks anew', async () => {
  const { runId, lost } = await gateway('anthropic');
  await send('/v1/messages', told([], FIRST));
  for (const number of [1, 2]) {
    const step = (await db.store.claimStep(runId, `validate-1-${number}`, 1))!;
    await db.store.saveAction(runId, step, { response: '', thought: '', action: 'validate', modelMs: 0 });
    await db.store.observe(runId, step, `score ${number}`);
  }
  await lost(2);
  await send('/v1/messages', told([], AGAIN));
  expect(await db.store.replayValidation(runId, 2, 1)).toBe(2);
  await send('/v1/messages', told(['another'], AGAIN));
  expect(await db.store.replayValidation(runId, 2, 2)).toBeNull();
  await lost(3);
  expect(await db.store.replayValidation(runId, 3, 1)).toBe(2);
  expect(await db.store.replayValidation(runId, 3, 2)).toBeNull();
});
