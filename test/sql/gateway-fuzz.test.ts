import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, migrate, openDatabase } from '../../db/index.js';
import { agentConfigSchema } from '../../domain/agent/config.js';
import { PROGRAM_CLIENTS, type ProgramClient, PROVIDER_OF_CLIENT } from '../../domain/agent/program.js';
import { wireOf } from '../../domain/gateway/wires.js';
import { modelConfigSchema } from '../../domain/model/config.js';
import { serveGateway } from '../../gateway/serve.js';
import { GatewaySession } from '../../gateway/session.js';
import { meteredCalls } from '../../models/gateway/metered-calls.js';
import { providerAccess } from '../../models/provider-access.js';
import { createRateGovernor } from '../../models/rate-governor.js';
import { run, submission, task } from '../fixtures/rows.js';
import { LONG } from '../setup/long.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
const TOKEN = 'bench-token-of-this-run';
const CASES = LONG ? 20_000 : 100;
const SEED = Number(process.env['BENCH_TEST_SEED'] ?? 20_261_127);
const LONGEST = LONG ? 8_000_000 : 300_000;
const LONGEST_STALL_MS = 250;
let db: Database;
let provider: Server;
const open: { folder: string; close: () => void }[] = [];

/** A provider that takes everything: what reaches it is the gateway's to judge. */
const ANSWERS: Record<string, unknown> = {
  '/v1/chat/completions': {
    choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 7, completion_tokens: 3 },
  },
  '/v1/responses': { status: 'completed', output: [], usage: { input_tokens: 7, output_tokens: 3 } },
  '/v1/messages': {
    ...{ role: 'assistant', content: [{ type: 'text', text: 'yes' }], stop_reason: 'end_turn' },
    usage: { input_tokens: 7, output_tokens: 3 },
  },
  '/v1beta/models/the-model:generateContent': {
    candidates: [{ content: { role: 'model', parts: [{ text: 'yes' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
  },
};
const ADDRESSES = ['video_url', 'audio_url', 'file_url'].map((key) => Buffer.from(`"type":"${key}"`));
const GEMINI_ADDRESSES = ['fileData', 'file_data'].map((key) => Buffer.from(`"${key}":{`));
const fetched: string[] = [];

beforeAll(async () => {
  const url = await server.createDatabase();
  await migrate(url);
  db = openDatabase(url);
  provider = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.once('end', () => {
      const body = Buffer.concat(chunks);
      const addresses = request.url?.startsWith('/v1beta/') === true ? GEMINI_ADDRESSES : ADDRESSES;
      for (const address of addresses) if (body.includes(address)) fetched.push(body.toString('utf8').slice(0, 500));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(ANSWERS[request.url ?? ''] ?? {}));
    });
  });
  await new Promise<void>((resolve) => void provider.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  for (const { folder, close } of open) {
    close();
    rmSync(folder, { recursive: true, force: true });
  }
  provider.close();
  await db.close();
});

async function gateway(client: ProgramClient) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-gw-'));
  const kind = PROVIDER_OF_CLIENT[client][0]!;
  const address = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const config = modelConfigSchema.parse({
    ...{ schema: 1, description: 'test', provider: kind, model: 'the-model', apiKeyVariable: 'THE_KEY' },
    ...{
      baseUrl: kind === 'anthropic' ? address : `${address}/v1${kind === 'gemini' ? 'beta' : ''}`,
      contextWindow: 1_000_000,
      maxOutputTokens: 1000,
    },
    prices: [{ from: '2024-01-01', input: 1, output: 5 }],
  });
  const agent = agentConfigSchema.parse({
    ...{ schema: 1, description: 'test', systemTemplate: 's', taskTemplate: 't' },
    program: { client, command: 'true', otherModels: 'rewrite' },
  });
  const model = { name: 'alias', kind: 'real' as const, provider: kind, model: 'the-model', config };
  const limits = { maxSteps: 1_000_000, costLimitUsd: '1000000' };
  const batch = submission(null, (batchId) => [
    { ...run(batchId, task('t'), 'alias', 1), model, agent, agentHash: client, sampling: {}, ...limits },
  ]);
  await db.intake.submit(batch);
  const [definition] = batch.runs;
  await db.pool.query('update batches set budget_usd = 2000000 where batch_id = $1', [definition!.batchId]);
  const ports = { store: db.store, governor: createRateGovernor(db.rates), access: providerAccess({ THE_KEY: 'k' }) };
  const calls = meteredCalls(ports, definition!);
  const parts = { run: definition!, program: agent.program!, epoch: 1, token: TOKEN, store: db.store, calls };
  const session = new GatewaySession({ ...parts, perSecond: Infinity });
  const { close } = await serveGateway(session, folder);
  open.push({ folder, close });
  const path = client === 'gemini' ? '/v1beta/models/any:generateContent' : wireOf(client).path;
  const send = (body: Buffer): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${TOKEN}` };
      const at = { socketPath: join(folder, 'sock'), path, method: 'POST', agent: false, headers };
      const asked = httpRequest(at, (answer) => {
        answer.resume();
        answer.once('close', () => resolve(answer.statusCode ?? 0));
      });
      asked.once('error', reject);
      asked.end(body);
    });
  return { session, runId: definition!.runId, send };
}

const FAR = 'http://169.254.169.254/latest';
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    -10_000,
    -1,
    0,
    1.5,
    1e308,
    -1e308,
    2 ** 53,
    '',
    '1',
    null,
    true,
    [],
    {},
    FAR,
    '\0',
    '\ud800',
  ),
  fc.constantFrom<unknown>(
    { type: 'video_url', video_url: { url: FAR } },
    [{ type: 'audio_url', audio_url: { url: FAR } }],
    [[{ type: 'image_url', image_url: { url: FAR } }]],
    [{ type: 'image', source: { type: 'url', url: FAR } }],
    [{ type: 'text', text: 'a' }],
    [{ fileData: { fileUri: FAR } }],
    [
      { functionResponse: { name: 'f', response: { output: 'a' } } },
      { inlineData: { mimeType: 'image/png', data: 'a' } },
    ],
  ),
  fc.jsonValue({ maxDepth: 4 }),
);
const KEYS = [
  ...[
    'model',
    'max_tokens',
    'max_completion_tokens',
    'max_output_tokens',
    'n',
    'seed',
    'temperature',
    'top_p',
    'top_k',
  ],
  ...[
    'logit_bias',
    'stream',
    'stream_options',
    'thinking',
    'thinking.budget_tokens',
    'system',
    'instructions',
    'tools',
  ],
  ...['tool_choice', 'messages', 'messages.0', 'messages.0.role', 'messages.0.content', 'messages.0.tool_calls'],
  ...['input', 'input.0', 'input.0.type', 'input.0.content', 'input.0.output', 'context_management', 'output_config'],
  ...['contents', 'contents.0', 'contents.0.role', 'contents.0.parts', 'contents.0.parts.0', 'systemInstruction'],
  ...['generationConfig', 'generationConfig.maxOutputTokens', 'generationConfig.thinkingConfig', 'cachedContent'],
  ...[
    'reasoning',
    'text',
    'response_format',
    'stop',
    'include',
    'constructor',
    '__proto__',
    'messages.0.content.0.source',
    'tools.0.tools',
  ],
];
const started = (client: ProgramClient): Record<string, unknown> => ({
  model: 'the-model',
  ...(client === 'openai-responses'
    ? { input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'play' }] }] }
    : client === 'gemini'
      ? { generationConfig: { maxOutputTokens: 5 }, contents: [{ role: 'user', parts: [{ text: 'play' }] }] }
      : { max_tokens: 5, messages: [{ role: 'user', content: [{ type: 'text', text: 'play' }] }] }),
});

function changed(body: Record<string, unknown>, changes: readonly (readonly [string, unknown])[]): string {
  for (const [path, shared] of changes) {
    // A copy: changes that follow must not reach another place or another case.
    const value = structuredClone(shared);
    const keys = path.split('.');
    const last = keys.pop()!;
    let at: unknown = body;
    for (const key of keys)
      at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined;
    if (typeof at === 'object' && at !== null)
      Object.defineProperty(at, last, { value, enumerable: true, configurable: true, writable: true });
  }
  return JSON.stringify(body);
}
const unit = fc.constantFrom(
  '0123456789abcdef',
  'a',
  ' ',
  '"',
  '\\',
  '\n',
  '1',
  'Jan ',
  '/tmp/a',
  '\u0001',
  'é',
  '[{"a":1},',
);
const LONG_TEXT: Readonly<Record<ProgramClient, string>> = {
  ...{ 'openai-chat': 'messages.0.content', anthropic: 'messages.0.content' },
  ...{ 'openai-responses': 'input.0.content', gemini: 'contents.0.parts.0.text' },
};
const long = fc.record({ text: unit, length: fc.integer({ min: 1000, max: LONGEST }) });
const body = (client: ProgramClient): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: LONG ? 300 : 30,
      arbitrary: fc
        .array(fc.tuple(fc.constantFrom(...KEYS), odd), { maxLength: 4 })
        .map((changes) => changed(started(client), changes)),
    },
    { weight: LONG ? 20 : 2, arbitrary: fc.string({ unit: 'binary' }) },
    { weight: LONG ? 20 : 2, arbitrary: fc.json() },
    {
      weight: 2,
      arbitrary: long.map(({ text, length }) => {
        const content = text.repeat(Math.ceil(length / text.length));
        return changed(started(client), [[LONG_TEXT[client], content]]);
      }),
    },
    {
      weight: 1,
      arbitrary: long.map(({ text, length }) => `{"messages":${text.repeat(Math.ceil(length / text.length))}`),
    },
  );

/**
 * The event loop's longest stall, in milliseconds: only time that this process computed, since on
 * a busy machine the loop also waits for a processor.
 */
class LongestStall {
  ms = 0;
  private at = performance.now();
  private cpu = process.cpuUsage();
  private readonly timer = setInterval(() => void this.look(), 5);

  reset(): void {
    this.ms = 0;
    this.at = performance.now();
    this.cpu = process.cpuUsage();
  }

  look(): number {
    const { user, system } = process.cpuUsage(this.cpu);
    this.ms = Math.max(this.ms, Math.min(performance.now() - this.at, (user + system) / 1000));
    this.at = performance.now();
    this.cpu = process.cpuUsage();
    return this.ms;
  }

  end = (): void => clearInterval(this.timer);
}

test(`${CASES} requests of any form are answered, cost nothing below zero, and are no fault of the host`, async () => {
  const gateways = new Map(
    await Promise.all(PROGRAM_CLIENTS.map(async (client) => [client, await gateway(client)] as const)),
  );
  const stall = new LongestStall();
  let longestStallMs = 0;
  const asked = fc.constantFrom(...PROGRAM_CLIENTS).chain((client) => fc.tuple(fc.constant(client), body(client)));
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(asked, async ([client, text]) => {
      const { session, send } = gateways.get(client)!;
      const bytes = Buffer.from(text);
      // Of what follows, not of the making of the case.
      await new Promise(setImmediate);
      stall.reset();
      const status = await send(bytes);
      longestStallMs = Math.max(longestStallMs, stall.look());
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect([200, 400, 413]).toContain(status);
      expect([session.fatal, session.lastFault, session.limit]).toEqual([null, null, null]);
    }),
    { numRuns: CASES, seed: SEED, endOnFailure: LONG },
  );
  stall.end();
  process.stderr.write(`${JSON.stringify({ seed: SEED, longestStallMs, statuses: [...statuses] })}\n`);
  expect(statuses.get(200)).toBeGreaterThan(CASES / 10);
  expect(statuses.get(400)).toBeGreaterThan(CASES / 10);
  expect(fetched).toEqual([]);
  const { rows } = await db.pool.query<{ calls: number; least: string; cost: string; charged: string }>(
    `select count(*)::int as calls, min(least(reserved_usd, cost_usd))::text as least,
       (select min(cost_usd) from runs)::text as cost, (select min(charged_usd) from batches)::text as charged
     from model_calls where status = 'confirmed'`,
  );
  expect(rows[0]!.calls).toBe(statuses.get(200));
  for (const amount of [rows[0]!.least, rows[0]!.cost, rows[0]!.charged]) expect(Number(amount)).toBeGreaterThan(0);
  if (LONG) expect(longestStallMs).toBeLessThan(LONGEST_STALL_MS);
});
