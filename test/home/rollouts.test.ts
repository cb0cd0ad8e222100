import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killService } from '../chaos/kill-service.js';
import {
  logprobOf,
  playPolicy,
  type ProviderSimulator,
  type SimulatedRequest,
  startProviderSimulator,
  tokensOf,
} from '../fakes/provider-simulator/index.js';
import { BenchHome } from '../setup/bench-home.js';
import { EnvServer } from '../setup/env-server.js';
import { OpenEnvClient, type Reply } from '../setup/open-env-client.js';
import { LONG } from '../setup/long.js';

const CANARY = 'canary-5d1f0c7be2a94';
const HEADER_CANARY = 'header-canary-77ab01';

let home: BenchHome;
let server: EnvServer;
let vllm: ProviderSimulator;
let sglang: ProviderSimulator;
let hosted: ProviderSimulator;
let pid = 0;

/** Marks, sleeps where it can be killed, validates, submits. */
const COMMANDS = [
  `printf 'def row_strategy(history):\\n    return 0\\n' > strategy.py`,
  'echo x >> marks; sleep 4; wc -l < marks',
  'validate',
  'submit',
];
const fenced = (command: string): string => `Next.\n\`\`\`bash\n${command}\n\`\`\`\n`;
const nth = ({ messages }: SimulatedRequest): number => messages.filter(({ role }) => role === 'assistant').length;
const scripted = (commands: readonly string[]) => (request: SimulatedRequest) =>
  ({ kind: 'reply', text: fenced(commands[nth(request)] ?? 'submit') }) as const;

beforeAll(async () => {
  vllm = await startProviderSimulator({ behaviour: scripted(COMMANDS), tokens: 'vllm', keys: [CANARY] });
  sglang = await startProviderSimulator({ behaviour: playPolicy('optimum'), tokens: 'sglang' });
  hosted = await startProviderSimulator({ behaviour: scripted(['submit']) });
  const local = [sglang, hosted].map(({ openAiBaseUrl }) => openAiBaseUrl).join(',');
  home = new BenchHome({
    ...{ BENCH_ROLLOUT_API_KEY: CANARY, BENCH_ROLLOUT_BASE_URL: vllm.openAiBaseUrl },
    BENCH_ROLLOUT_OTHERS_BASE_URL: local,
  });
  server = new EnvServer(home, ['--max-steps', '8']);
  ({ pid } = await server.start());
});
afterAll(async () => {
  await server.stop();
  await home.remove();
  await Promise.all([vllm.close(), sglang.close(), hosted.close()]);
});

interface Turn {
  node_id: string;
  prompt_token_ids: number[];
  completion_token_ids: number[];
  per_token_logps: number[];
  loss_mask: number[];
  text: string;
  request_messages: unknown[];
}
interface Rollout {
  id: string;
  run_id: string;
  end_sequence: number | null;
  status: string;
  ok: boolean | null;
  error: string | null;
  reward: number | null;
  gain: number | null;
  end_reason: string | null;
  capture: { requested: string; level: string | null };
  use: string;
  turns: Turn[];
}
const endpoint = (simulator: ProviderSimulator, more: Record<string, unknown> = {}) => ({
  base_url: simulator.openAiBaseUrl,
  model: 'policy-7',
  ...more,
});
const begin = async (body: Record<string, unknown>): Promise<string[]> => {
  const answer = await server.ask<{ ids: string[] }>('POST', '/v1/rollouts', {
    task: 'battleOfSexes',
    seed: 7,
    ...body,
  });
  expect(answer).toMatchObject({ status: 202 });
  return answer.body.ids;
};
const collect = async (query: string) =>
  (await server.ask<{ rollouts: Rollout[]; after: number }>('GET', `/v1/rollouts?${query}`)).body;
/** As OpenEnv's HarborEnv connects: to a session that it made. */
async function harborClient(): Promise<OpenEnvClient> {
  const made = { jsonrpc: '2.0', id: 1, method: 'openenv/session/create', params: {} };
  const { body } = await server.ask<{ result: { session_id: string } }>('POST', '/mcp', made);
  return OpenEnvClient.at(`${server.url}/ws?session_id=${body.result.session_id}`);
}
/** As many as are wanted, in the order in which they are told. */
async function collected(count: number, query: string): Promise<Rollout[]> {
  const all: Rollout[] = [];
  let after = 0;
  while (all.length < count) {
    const told = await collect(`${query}&after=${after}&wait_s=20`);
    all.push(...told.rollouts);
    ({ after } = told);
  }
  return all;
}

describe('rollouts', () => {
  test('outlive the worker and the server: each is told once, with its tokens, and no answer is generated twice', async () => {
    const before = vllm.requests.length;
    const ids = await begin({
      ...{ model: endpoint(vllm, { api_key: CANARY, headers: { 'X-Tenant': HEADER_CANARY } }), count: 3 },
      ...{ labels: { arm: 'a' }, rollout_id: 'group-1', reward: { mode: 'final' } },
    });
    expect(ids).toEqual(['group-1', 'group-1-2', 'group-1-3']);
    expect(await begin({ model: endpoint(vllm, { api_key: CANARY }), count: 3, rollout_id: 'group-1' })).toEqual(ids);
    // In the middle of a command: no answer is on its way.
    await expect
      .poll(
        () =>
          home.sql(
            `select 1 from steps s join episodes e using (run_id) where e.episode_id like 'group-1%' and s.step = 2`,
          ),
        { timeout: 120_000 },
      )
      .toHaveLength(3);
    const gone = server.kill(pid);
    killService(home, 'worker');
    await gone;
    ({ pid } = await server.start());
    const told = await collected(3, 'label=arm=a');
    expect(told.map(({ id }) => id).sort()).toEqual(ids);
    expect(told.map((one) => one.end_sequence)).toEqual(
      [...told.map((one) => one.end_sequence!)].sort((a, b) => a - b),
    );
    for (const rollout of told) {
      expect(rollout).toMatchObject({ ok: true, error: null, end_reason: 'submit', use: 'train' });
      expect(rollout.capture).toEqual({ requested: 'tokens', level: 'tokens' });
      expect(rollout.reward).toBeCloseTo(rollout.gain!, 9);
      expect(rollout.turns.map(({ text }) => text)).toEqual(COMMANDS.map(fenced));
      for (const turn of rollout.turns) {
        expect(turn.completion_token_ids).toEqual(tokensOf(turn.text));
        expect(turn.per_token_logps).toEqual(tokensOf(turn.text).map(logprobOf));
        expect(turn.prompt_token_ids).toEqual(tokensOf(JSON.stringify(turn.request_messages)));
        expect(turn.loss_mask.length).toBe(turn.prompt_token_ids.length + turn.completion_token_ids.length);
        expect(turn.loss_mask.indexOf(1)).toBe(turn.prompt_token_ids.length);
      }
      const marks = await home.sql<{ observation: string }>(
        `select observation from steps where run_id = $1 and step = 2`,
        [rollout.run_id],
      );
      expect(marks[0]!.observation.trim()).toBe('1');
    }
    const asked = vllm.requests.slice(before).map(({ callId }) => callId!.split('/').slice(0, 3).join('/'));
    expect(asked).toHaveLength(3 * COMMANDS.length);
    expect(new Set(asked).size).toBe(asked.length);
    expect(vllm.requests.at(-1)!.body).toMatchObject({ return_token_ids: true, logprobs: true, top_logprobs: 1 });
  });

  // Without it, rollouts outlive the server above.
  test.runIf(LONG)("of Harbor's client are one though their server dies, and the next call is another", async () => {
    const client = await harborClient();
    const before = vllm.requests.length;
    const call = {
      ...{ type: 'call_tool', tool_name: 'run_rollout' },
      arguments: { split: 'train', llm_url: vllm.openAiBaseUrl, model: 'harbor', api_key: CANARY },
    };
    const played = () =>
      home.sql<{ step: number }>(`select r.step from runs r where r.provider_model = 'harbor' order by r.ordinal`);
    client.send({ type: 'step', data: call });
    await expect.poll(async () => (await played())[0]?.step, { timeout: 120_000 }).toBe(2);
    expect(server.killServer()).toBe(true);
    const resultOf = (reply: Reply | null) =>
      JSON.parse(String(reply?.data.observation['result'])) as { ok: boolean; reward: number };
    const first = resultOf(await client.next());
    expect(first).toMatchObject({ ok: true });
    expect(await played()).toHaveLength(1);
    expect(vllm.requests.length - before).toBe(COMMANDS.length);
    expect(resultOf(await client.step(call))).toMatchObject({ ok: true });
    expect(await played()).toHaveLength(2);
    client.cut();
  });

  test('are not begun by a policy: in an episode the call is an action that executes nothing', async () => {
    const rollouts = () => home.sql<{ count: number }>(`select count(*)::int as count from rollouts`);
    const before = [await rollouts(), vllm.requests.length];
    const call = {
      ...{ type: 'call_tool', tool_name: 'run_rollout' },
      arguments: { llm_url: vllm.openAiBaseUrl, model: 'm', api_key: '$BENCH_ROLLOUT_API_KEY' },
    };
    const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...call, name: 'run_rollout' } };
    for (const client of [await OpenEnvClient.connect(server.url), await harborClient()]) {
      await client.reset();
      expect((await client.step(call)).data).toMatchObject({ done: false, metadata: { format_error: true } });
      expect(JSON.stringify(await client.ask({ type: 'mcp', data: rpc }))).toContain('Nothing was executed');
      client.send({ type: 'close' });
      await client.closed;
    }
    const session = { 'x-bench-session': 'the-key-of-a-session-over-http' };
    await server.ask('POST', '/reset', { task: 'battleOfSexes' }, session);
    const stepped = await server.ask('POST', '/step', { action: call }, session);
    expect(stepped.body).toMatchObject({ done: false, metadata: { format_error: true } });
    expect(JSON.stringify(await server.ask('POST', '/mcp', rpc, session))).toContain('Nothing was executed');
    expect([await rollouts(), vllm.requests.length]).toEqual(before);
  });

  test('wait for their trainer, and are kept until it acknowledges them', async () => {
    const seen = await collected(3, 'label=arm=a');
    expect(await collected(3, 'label=arm=a')).toEqual(seen);
    const { after } = await collect('label=arm=a&limit=1');
    expect((await collect(`label=arm=a&after=${after}`)).rollouts.map(({ id }) => id)).toEqual(
      seen.slice(1).map(({ id }) => id),
    );
    const [first, second, third] = seen.map(({ id }) => id);
    const ack = await server.ask('POST', '/v1/rollouts/ack', { ids: [first, second, 'nothing'] });
    expect(ack.body).toEqual({ acknowledged: [first, second] });
    expect((await collect('label=arm=a')).rollouts.map(({ id }) => id)).toEqual([third]);
    expect((await server.ask('DELETE', `/v1/rollouts/${third}`)).body).toEqual({ acknowledged: [third] });
    expect((await collect('label=arm=a&wait_s=0')).rollouts).toEqual([]);
    expect((await server.ask<Rollout>('GET', `/v1/rollouts/${first}`)).body).toMatchObject({
      acknowledged: true,
      turns: [],
    });
  });

  test('keep what is secret: no row, history, log or export holds it', async () => {
    const [id] = await begin({
      model: endpoint(vllm, { api_key: '$BENCH_ROLLOUT_API_KEY' }),
      labels: { arm: 'named' },
    });
    const [row] = await home.sql<{ batch: string; run: string }>(
      `select r.batch_id as batch, r.run_id as run from runs r join episodes e using (run_id) where e.episode_id = $1`,
      [id],
    );
    expect((await collected(1, 'label=arm=named'))[0]).toMatchObject({ ok: true, use: 'train' });
    const tables = await home.sql<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    expect(tables.map(({ name }) => name)).toContain('public.rollouts');
    const holders: string[] = [];
    for (const { name } of tables) {
      const found = await home.sql(`select 1 from ${name} t where t::text like any ($1) limit 1`, [
        [`%${CANARY}%`, `%${HEADER_CANARY}%`],
      ]);
      if (found.length > 0) holders.push(name);
    }
    expect(holders).toEqual([]);
    const exported = await home.run('export', row!.batch, '-o', join(home.dir, 'exported.jsonl'));
    expect(exported.exitCode).toBe(0);
    // Temporal's own database, logs, exports, and the files of runs.
    expect(filesHolding(home.dir, [CANARY, HEADER_CANARY])).toEqual([]);
    const told = filesHolding(home.dir, [row!.run]);
    expect(told).toContain('exported.jsonl');
    expect(told.some((file) => file.includes('temporal'))).toBe(true);
  });

  test('of an endpoint that tells nothing of its tokens are for evaluation only, and say so', async () => {
    const [id] = await begin({ model: endpoint(hosted), labels: { arm: 'hosted' } });
    const [rollout] = await collected(1, 'label=arm=hosted');
    expect(rollout).toMatchObject({ id, ok: true, use: 'evaluation', capture: { requested: 'tokens', level: 'text' } });
    expect(rollout!.turns[0]).toMatchObject({ completion_token_ids: [], loss_mask: [] });
  });

  test.runIf(LONG)('of SGLang have the same tokens, and other agents may play them', async () => {
    await begin({ model: endpoint(sglang), agent: 'default', labels: { arm: 'sglang' } });
    const [rollout] = await collected(1, 'label=arm=sglang');
    expect(rollout).toMatchObject({ ok: true, use: 'train', end_reason: 'submit' });
    expect(rollout!.turns.every((turn) => turn.completion_token_ids.length === turn.per_token_logps.length)).toBe(true);
  });

  // Without it, episodes.test.ts ends episodes by their deadline.
  test.runIf(LONG)(
    'end by their deadline although the endpoint never answers, and a fault is never a reward',
    async () => {
      const wrong = await begin({ model: endpoint(vllm, { api_key: 'wrong-key' }), labels: { arm: 'fault' } });
      const [fault] = await collected(1, 'label=arm=fault');
      expect(fault).toMatchObject({ id: wrong[0], ok: false, reward: null });
      expect(fault!.error).toContain('does not accept the key');
      hosted.behave(() => ({ kind: 'hang' }));
      await begin({ model: endpoint(hosted), capture: 'text', deadline_s: 8, labels: { arm: 'late' } });
      const [late] = await collected(1, 'label=arm=late');
      expect(late).toMatchObject({ ok: true, end_reason: 'deadline', turns: [] });
    },
  );

  test.each([
    ['an unknown key', { modl: 1 }, 422, 'modl'],
    [
      'a variable that it may not name',
      { model: { base_url: 'http://h/v1', model: 'm', api_key: '$PATH' } },
      422,
      'model.api_key',
    ],
    ['a task that is not served', { task: 'nope', model: { base_url: 'http://h/v1', model: 'm' } }, 404, 'nope'],
  ])('with %s are refused', async (_what, body, status, named) => {
    const answer = await server.ask<{ error: { message: string } }>('POST', '/v1/rollouts', {
      task: 'battleOfSexes',
      ...body,
    });
    expect(answer.status).toBe(status);
    expect(answer.body.error.message).toContain(named);
  });
});

function filesHolding(folder: string, texts: readonly string[]): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(folder, name);
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
    const bytes = readFileSync(path);
    return texts.some((text) => bytes.includes(text));
  });
}
