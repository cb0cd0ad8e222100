import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, migrate, openDatabase } from '../../db/index.js';
import { agentConfigSchema } from '../../domain/agent/config.js';
import { PROVIDER_OF_CLIENT, type ProgramClient } from '../../domain/agent/program.js';
import { wireOf } from '../../domain/gateway/wires.js';
import { modelConfigSchema } from '../../domain/model/config.js';
import { compareUsd } from '../../domain/model/price.js';
import { ProviderError } from '../../domain/model/provider-error.js';
import type { TokenUsage } from '../../domain/model/model.js';
import type { RateGovernor } from '../../domain/ports/rate-governor.js';
import type { RunDefinition } from '../../domain/run/run.js';
import { serveGateway } from '../../gateway/serve.js';
import { GatewaySession } from '../../gateway/session.js';
import { callModel } from '../../models/call-model.js';
import { meteredCalls } from '../../models/gateway/metered-calls.js';
import { providerAccess } from '../../models/provider-access.js';
import { createProviderModels } from '../../models/provider-models.js';
import { oneWorker } from '../fakes/one-worker.js';
import {
  COMPLETE_STREAM,
  isOfAgents,
  PRICES,
  PROVIDER_CASES,
  type Right,
  type ProviderCase,
} from '../fakes/providers/cases.js';
import { type ScriptedProvider, startScriptedProvider } from '../fakes/providers/server.js';
import { run, submission, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
const ENV = { THE_KEY: 'canary-key-of-the-provider-0123456789' };
const TOKEN = 'bench-token-of-this-run';
/** What is refused in one case waits in no other. */
const grant = { settled: () => undefined, limited: () => undefined, released: () => undefined };
const unlimited: RateGovernor = {
  acquire: () => Promise.resolve({ kind: 'granted', grant }),
  flush: () => Promise.resolve(),
};
const never = new AbortController().signal;
let db: Database;
let provider: ScriptedProvider;

beforeAll(async () => {
  const url = await server.createDatabase();
  await migrate(url);
  db = openDatabase(url);
  provider = await startScriptedProvider();
  for (const player of new Set(PROVIDER_CASES.map(playerOf))) {
    const cases = PROVIDER_CASES.filter((one) => playerOf(one) === player);
    // Programs play each case, agents those without a stream, and one is played again.
    await submitRuns(player, cases[0]!, cases.length + cases.filter(isOfAgents).length + 1);
  }
});
afterAll(async () => {
  await provider.close();
  await db.close();
});

/** Runs that no case has played yet. */
const fresh = new Map<string, RunDefinition[]>();

/** One model file serves these cases. */
const playerOf = ({ wire, dialect }: Pick<ProviderCase, 'wire' | 'dialect'>): string => `${wire}/${dialect ?? ''}`;

async function submitRuns(player: string, { wire: client, dialect }: ProviderCase, count: number): Promise<void> {
  const kind = dialect === undefined ? PROVIDER_OF_CLIENT[client][0]! : 'openai-compatible';
  const config = modelConfigSchema.parse({
    ...{ schema: 1, description: 'test', provider: kind, model: 'the-model', apiKeyVariable: 'THE_KEY' },
    ...(client === 'openai-responses' && { api: 'responses' }),
    ...(dialect !== undefined && { dialect }),
    baseUrl: kind === 'anthropic' || kind === 'gemini' ? provider.url : `${provider.url}/v1`,
    ...{ contextWindow: 100_000, maxOutputTokens: 2000, prices: [PRICES] },
  });
  const agent = agentConfigSchema.parse({
    ...{ schema: 1, description: 'test', systemTemplate: 's', taskTemplate: 't' },
    program: { client, command: 'true' },
  });
  const model = { name: 'alias', kind: 'real' as const, provider: kind, model: 'the-model', config };
  const more = { model, agent, agentHash: JSON.stringify(agent), sampling: {}, costLimitUsd: null };
  const batch = submission(null, (batchId) =>
    Array.from({ length: count }, (_, index) => ({ ...run(batchId, task('t'), 'alias', index + 1), ...more })),
  );
  await db.intake.submit(batch);
  fresh.set(player, [...batch.runs]);
}

interface Row extends Required<TokenUsage> {
  status: string;
  error: string | null;
  detail: string | null;
  cost: string | null;
  reserved: string;
  problem: string | null;
  finish: string | null;
}

async function ledger(runId: string): Promise<Row[]> {
  const { rows } = await db.pool.query<Row>(
    `select status, error, error_detail as detail, trim_scale(cost_usd)::text as cost, trim_scale(reserved_usd)::text as reserved,
       input_tokens::float8 as "inputTokens", output_tokens::float8 as "outputTokens", cached_tokens::float8 as "cachedTokens",
       cache_write_tokens::float8 as "cacheWriteTokens", coalesce(cache_write_hour_tokens, 0)::float8 as "cacheWriteHourTokens",
       reasoning_tokens::float8 as "reasoningTokens", usage_problem as problem,
       finish_reason as finish
     from model_calls where run_id = $1 order by step, attempt`,
    [runId],
  );
  return rows;
}

const textOf = (right: Right): string => (right.kind === 'reply' ? right.text : undefined) ?? 'hello';

/** The record has the right outcome, and charges what is right. */
function expectCharged(row: Row, right: Right): void {
  if (right.kind === 'reply') {
    expect(row).toMatchObject({ status: 'confirmed', problem: null, cost: right.usd, ...right.usage });
    if (right.finish !== undefined) expect(row.finish).toBe(right.finish);
  } else if (right.kind === 'usage_problem') {
    expect(row).toMatchObject({ status: 'confirmed', problem: expect.stringMatching(right.says) as string });
    expect(compareUsd(row.cost!, row.reserved)).toBe(0);
  } else {
    const { kind, costs, says = /./ } = right;
    expect(row).toMatchObject({ error: kind, status: costs === 'nothing' ? 'failed' : 'unconfirmed' });
    expect(row.detail).toMatch(says);
  }
}

describe('agents', () => {
  test.each(PROVIDER_CASES.filter(isOfAgents).map((one) => [`${one.wire}: ${one.name}`, one] as const))(
    '%s',
    async (_name, { answer, right, ...one }) => {
      const definition = fresh.get(playerOf(one))!.pop()!;
      provider.answer(answer);
      const ports = {
        ...{ store: db.store, models: createProviderModels(ENV), worker: oneWorker },
        governor: unlimited,
      };
      const prompt = { messages: [{ role: 'user' as const, content: 'play' }] };
      const key = { runId: definition.runId, step: 1, try: 0 };
      const outcome: unknown = await callModel(ports, definition, key, prompt, never).catch((error: unknown) => error);
      if (right.kind === 'reply' || right.kind === 'usage_problem')
        expect(outcome).toMatchObject({ kind: 'reply', reply: { text: textOf(right) } });
      else if (right.kind === 'context_window') expect(outcome).toEqual({ kind: 'end', endReason: 'context' });
      else expect(outcome).toBeInstanceOf(ProviderError);
      const rows = await ledger(definition.runId);
      expect(rows).toHaveLength(1);
      expectCharged(rows[0]!, right);
    },
  );
});

const pathOf = (client: ProgramClient, stream: boolean): string =>
  client === 'gemini'
    ? `/v1beta/models/the-model:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`
    : wireOf(client).path;

/** A program's call, on the run's gateway. */
async function ask(one: Pick<ProviderCase, 'wire' | 'dialect'>, stream: boolean, retryMs: number) {
  const client = one.wire;
  const definition = fresh.get(playerOf(one))!.pop()!;
  const folder = mkdtempSync(join(tmpdir(), 'bench-zoo-'));
  const access = providerAccess(ENV);
  const calls = meteredCalls({ store: db.store, governor: unlimited, access, retryMs }, definition);
  const program = definition.agent.program!;
  const session = new GatewaySession({ run: definition, program, epoch: 1, token: TOKEN, store: db.store, calls });
  const { close } = await serveGateway(session, folder);
  const question = { role: 'user', content: 'play' };
  const body = {
    ...{ model: 'the-model', ...(stream ? { stream: true } : {}) },
    ...(client === 'openai-responses'
      ? { input: [{ type: 'message', ...question }] }
      : client === 'gemini'
        ? { generationConfig: { maxOutputTokens: 500 }, contents: [{ role: 'user', parts: [{ text: 'play' }] }] }
        : { max_tokens: 500, messages: [question] }),
  };
  try {
    const got = await new Promise<{ status: number; text: string }>((resolve, reject) => {
      const asked = httpRequest(
        {
          ...{ socketPath: join(folder, 'sock'), path: pathOf(client, stream), method: 'POST', agent: false },
          headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        },
        (answer) => {
          let text = '';
          const done = (): void => resolve({ status: answer.statusCode ?? 0, text });
          answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
          answer.once('close', done).once('error', done);
        },
      );
      asked.once('error', reject);
      asked.end(JSON.stringify(body));
    });
    return { ...got, session, rows: await ledger(definition.runId) };
  } finally {
    close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the program gets, and whether its run can continue. */
function seenBy({ kind }: Right): { status: number; ends: boolean } {
  if (kind === 'reply' || kind === 'usage_problem') return { status: 200, ends: false };
  if (kind === 'context_window' || kind === 'bad_request') return { status: 400, ends: false };
  if (kind === 'rate_limited') return { status: 429, ends: false };
  return { status: 503, ends: ['auth', 'unknown_model', 'body_too_large'].includes(kind) };
}

describe('programs', () => {
  test.each(PROVIDER_CASES.map((one) => [`${one.wire}: ${one.name}`, one] as const))('%s', async (_name, one) => {
    const { answer, right } = one;
    provider.answer(answer);
    const { status, text, session, rows } = await ask(one, answer.events !== undefined, 0);
    const seen = seenBy(right);
    expect([answer.status === 413 && status === 413 ? 400 : answer.status === 422 ? 400 : status, text]).toEqual([
      seen.status,
      text,
    ]);
    expect(session.fatal !== null).toBe(seen.ends);
    if (right.kind === 'context_window') expect(text).toMatch(/context_length_exceeded|prompt is too long|too_large/);
    if (right.kind === 'reply') expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(answer.body)));
    expect(rows).toHaveLength(1);
    expectCharged(rows[0]!, right);
  });

  test('a stream that begins with an error is asked for again before the program sees a byte of it', async () => {
    const broken = PROVIDER_CASES.find(({ name }) => name.includes('before any content'))!.answer;
    provider.answer(broken, COMPLETE_STREAM);
    const { status, text, rows } = await ask({ wire: 'anthropic' }, true, 20_000);
    expect([status, text.match(/event: message_start/g)?.length]).toEqual([200, 1]);
    expect(text).toContain('message_stop');
    expect(text).not.toContain('overloaded');
    expect(rows.map((row) => [row.status, row.cost])).toEqual([
      ['failed', null],
      ['confirmed', '0.0015'],
    ]);
  });
});
