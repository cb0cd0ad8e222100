import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { addStatedTask, FAILING_STATEMENT } from '../fixtures/stated-task.js';
import { anyFrame, type AnyRequest, anyRequest } from '../setup/any-request.js';
import { BenchHome } from '../setup/bench-home.js';
import { EnvServer } from '../setup/env-server.js';
import { LONG } from '../setup/long.js';
import { McpClient } from '../setup/mcp-client.js';
import { NemoClient, toolCall } from '../setup/nemo-client.js';
import { OpenEnvClient } from '../setup/open-env-client.js';
import { OrsClient } from '../setup/ors-client.js';

let home: BenchHome;
let server: EnvServer;
beforeAll(async () => {
  home = new BenchHome();
  addStatedTask(home.dir);
  const splits = ['--split', 'train=battleOfSexes,stated', '--split', 'held-out=stated'];
  server = new EnvServer(home, [...splits, '--max-steps', '12', '--max-validations', '2']);
  await server.start();
});
afterAll(async () => {
  await server.stop();
  await home.remove();
});

interface Step {
  observation: { message: string };
  reward: number | null;
  terminated: boolean;
  info: Record<string, unknown>;
}
const state = (score: number): string => `echo ${score} > answer.json`;
const begin = async (reset: Record<string, unknown> = {}) => {
  const { body } = await server.ask<{ episode_id: string } & Step>('POST', '/v1/episodes', {
    task: 'stated',
    ...reset,
  });
  return body;
};
const step = async (id: string, action: string): Promise<Step> => {
  const answer = await server.ask<Step>('POST', `/v1/episodes/${id}/step`, { action });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
};

describe('validations of a task with one split', () => {
  it('are limited: the policy is told how many are left, and beyond them validate scores nothing', async () => {
    const begun = await begin();
    const { episode_id: id } = begun;
    expect(begun.observation.message).toContain('`validate` scores at most 2 times');
    expect(begun.info).toMatchObject({ remaining_validations: 2 });
    const first = await step(id, `${state(4)}; validate`);
    expect(first).toMatchObject({ reward: 1, info: { remaining_validations: 1, evaluation: { primary: 4 } } });
    expect(first.observation.message).toContain('validations left: 1 of 2');
    expect(await step(id, `${state(6)}; validate`)).toMatchObject({ reward: 1, info: { remaining_validations: 0 } });

    const beyond = await step(id, `${state(800)}; validate`);
    expect(beyond).toMatchObject({
      ...{ reward: null, terminated: false },
      info: { remaining_validations: 0, evaluation: null, exit_code: 0, format_error: false, status: 'ok' },
    });
    expect(beyond.observation.message).toContain('All 2 validations are used');
    expect(beyond.observation.message).not.toContain('Score =');
    // A branch knows what its path was shown; whoever asks for more says so.
    const fork = (changes: object) =>
      server.ask<{ info: object }>('POST', '/v1/episodes', { fork_of: id, at_step: 1, ...changes });
    expect((await fork({})).body.info).toMatchObject({ remaining_validations: 1 });
    expect((await fork({ max_validations: 5 })).body.info).toMatchObject({ remaining_validations: 4 });

    expect(await step(id, `${state(8)}; submit`)).toMatchObject({ reward: 1, terminated: true });
    const evaluations = await home.sql<{ kind: string; score: number }>(
      'select kind, primary_score as score from evaluations where run_id = $1 order by number',
      [begun.info['run_id']],
    );
    expect(evaluations.map(({ kind, score }) => [kind, score])).toEqual([
      ['validate', 4],
      ['validate', 6],
      ['submit', 8],
    ]);
  });

  it('are not used by one that we failed to make', async () => {
    const { episode_id: id } = await begin();
    const failed = await step(id, `${state(FAILING_STATEMENT)}; validate`);
    expect(failed).toMatchObject({
      reward: null,
      info: { remaining_validations: 2, evaluation: { status: 'evaluator_error' } },
    });
    expect(failed.observation.message).toContain('validations left: 2 of 2');
    await server.ask('DELETE', `/v1/episodes/${id}`);
  });

  it('are as many as the reset says, and none if it says so', async () => {
    const none = await begin({ max_validations: 0 });
    const told = await step(none.episode_id, 'validate');
    expect(told.observation.message).toContain('There are no validations here');
    expect(told).toMatchObject({ reward: null, info: { evaluation: null } });
    await server.ask('DELETE', `/v1/episodes/${none.episode_id}`);
    expect((await begin({ max_validations: 7 })).info).toMatchObject({ remaining_validations: 7 });
  });
});

describe('splits', () => {
  it('list the tasks that the server was told, in each list by itself', async () => {
    expect((await server.ask('GET', '/bench/splits')).body).toEqual([
      { name: 'train', type: 'train' },
      { name: 'held-out', type: 'test' },
    ]);
    const tasks = async (split: string) => (await server.ask('POST', '/tasks', { split })).body['tasks'];
    expect(await tasks('train')).toEqual([{ task: 'battleOfSexes' }, { task: 'stated' }]);
    expect(await tasks('held-out')).toEqual([{ task: 'stated' }]);
    const harbor = async (split: string) => (await server.ask('POST', '/harbor_env/num_tasks', { split })).body;
    expect([await harbor(''), await harbor('held-out')]).toEqual([{ num_tasks: 2 }, { num_tasks: 1 }]);
    const first = await server.ask<Step>('POST', '/v1/episodes', { split: 'held-out', index: 0 });
    expect(first.body.info).toMatchObject({ task: 'stated' });
  });
});

/** The refusal of a reset, in the protocol's own shape. */
const REFUSALS: Record<string, (reset: Record<string, unknown>) => Promise<string>> = {
  'A, over its socket': async (reset) => {
    const client = await OpenEnvClient.connect(server.url);
    const { type, data } = await client.ask({ type: 'reset', data: reset });
    const message = String(data['message']);
    expect({ type, data }).toEqual({
      type: 'error',
      data: { message, code: 'VALIDATION_ERROR', errors: [{ loc: [], msg: message, type: 'value_error' }] },
    });
    // The connection stays.
    expect(await client.ask({ type: 'state' })).toMatchObject({ type: 'state', data: { episode_id: null } });
    client.cut();
    return message;
  },
  'A, over HTTP': async (reset) => {
    const { status, body } = await server.ask('POST', '/reset', { episode_id: `bad-${Math.random()}`, ...reset });
    const { detail } = body as { detail: string | { loc: string[]; msg: string; type: string }[] };
    if (status === 404 && typeof detail === 'string') return detail;
    expect({ status, detail }).toMatchObject({ status: 422, detail: [{ loc: ['body'], type: 'value_error' }] });
    return typeof detail === 'string' ? detail : (detail[0]?.msg ?? '');
  },
  'B, ORS': async (reset) => {
    const client = new OrsClient(server);
    const { status, text } = await client.open({ task_spec: reset, env_name: 'bench' });
    expect([404, 422]).toContain(status);
    return (JSON.parse(text) as { detail: string }).detail;
  },
  'C, REST': async (reset) => {
    const { status, body } = await server.ask('POST', '/v1/episodes', reset);
    const { error } = body as { error: { message: string; remedy: string } };
    expect({ status, keys: Object.keys(error) }).toEqual({
      status: expect.toSatisfy((code: number) => [404, 422].includes(code)) as number,
      keys: ['type', 'code', 'message', 'remedy'],
    });
    return `${error.message}. ${error.remedy}`;
  },
  'D, rollouts': async (reset) => {
    const model = { base_url: 'http://policy.example/v1', model: 'm' };
    const { status, body } = await server.ask('POST', '/v1/rollouts', { model, ...reset });
    expect([404, 422]).toContain(status);
    const { error } = body as { error: { message: string; remedy: string } };
    return `${error.message}. ${error.remedy}`;
  },
  'E, NeMo Gym': async (reset) => {
    const { status, body } = await new NemoClient(server).reset(reset);
    expect([404, 422]).toContain(status);
    return (body as unknown as { detail: string }).detail;
  },
  'E, MCP': async (reset) => {
    const { error } = await new McpClient(server, { 'x-bench-reset': JSON.stringify(reset) }).hello();
    expect(error).toMatchObject({ code: -32602 });
    return error?.message ?? '';
  },
};

const WRONG: { what: string; reset: Record<string, unknown>; names: RegExp; remedy: RegExp }[] = [
  {
    what: 'an unknown key',
    reset: { task: 'stated', tsk: 1 },
    names: /tsk/,
    remedy: /A reset takes task|Correct these/,
  },
  {
    what: 'a key of another type',
    reset: { task: 'stated', max_steps: 'ten' },
    names: /max_steps/,
    remedy: /takes|Correct/,
  },
  { what: 'a number beyond its bounds', reset: { task: 'stated', seed: -1 }, names: /seed/, remedy: /takes|Correct/ },
  {
    what: 'a task that is not served',
    reset: { task: 'nope' },
    names: /"nope"/,
    remedy: /There are: battleOfSexes, stated/,
  },
  { what: 'no task where there are several', reset: {}, names: /no task/, remedy: /Set task to one of battleOfSexes/ },
  {
    what: 'a split that is not there',
    reset: { split: 'nope', index: 0 },
    names: /"nope"/,
    remedy: /There are: train, held-out/,
  },
  { what: 'an index beyond the split', reset: { split: 'held-out', index: 1 }, names: /index 1/, remedy: /at most 0/ },
  {
    what: 'a reward that is none',
    reset: { task: 'stated', reward: { mode: 'tier' } },
    names: /reward\.mode: .*use best with tiers/,
    remedy: /A reset takes .*reward|Correct these keys/,
  },
  { what: 'an agent that is not there', reset: { task: 'stated', agent: 'nobody' }, names: /nobody/, remedy: /./ },
];

describe.each(Object.entries(REFUSALS))('%s refuses a reset with', (_, refused) => {
  it.each(WRONG)('$what, in its own shape, with key and remedy', async ({ reset, names, remedy }) => {
    const said = await refused(reset);
    expect(said).toMatch(names);
    expect(said).toMatch(remedy);
  });
});

describe('what is no JSON, or none of a protocol', () => {
  it.each([
    ['/v1/episodes', { error: { type: 'usage' } }],
    ['/v1/steps', { error: { type: 'usage' } }],
    ['/v1/rollouts', { error: { type: 'usage' } }],
    ['/reset', { detail: [{ loc: ['body'], type: 'json_invalid' }] }],
    ['/mcp', { error: { code: -32700 } }],
    ['/create', { detail: expect.stringContaining('no JSON') as string }],
    ['/nemo/reset', { detail: expect.any(String) as string }],
    ['/v1/mcp', { error: { code: -32700 } }],
  ])('%s', async (path, shape) => {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-session-id': 'x' },
      body: '{"task": ',
    });
    expect(response.status).toBeLessThan(500);
    expect(await response.json()).toMatchObject(shape);
  });

  it('leaves the server as it was', async () => {
    const { episode_id: id } = await begin();
    expect(await step(id, `${state(4)}; submit`)).toMatchObject({ reward: 1, terminated: true });
  });
});

describe('NeMo Gym', () => {
  it('plays by responses, its session is a cookie, and nothing evaluated adds nothing', async () => {
    const client = new NemoClient(server);
    const begun = await client.reset({ task: 'stated', seed: 3, agent_ref: { name: 'bench' }, _ng_task_index: 0 });
    expect(begun).toMatchObject({ status: 200, body: { info: { task: 'stated', seed: 3, action_seq: 0 } } });
    expect(begun.body.observation).toContain('Write a whole number');
    const printed = await client.step('<think>Four.</think>\necho 4 > answer.json; cat answer.json');
    expect(printed).toMatchObject({
      status: 200,
      body: {
        reward: 0,
        terminated: false,
        truncated: false,
        info: { output: '4\n', evaluated: false, mask_sample: false },
      },
    });
    const fenced = await client.step('I look.\n```bash\nls\n```');
    expect(fenced.body.observation).toContain('answer.json');
    const called = await client.step([toolCall('c1', 'validate', {}), toolCall('c2', 'run', { command: 'ls' })]);
    expect(called.body).toMatchObject({ observation: null, reward: 1, info: { evaluated: true } });
    expect(called.body.info.tool_outputs).toEqual([
      { call_id: 'c1', output: expect.stringContaining('Score = 4') as string },
      { call_id: 'c2', output: 'Not executed: one call at a time.' },
    ]);
    const wrong = await client.step([toolCall('c3', 'fly', {})]);
    expect(wrong.body).toMatchObject({ reward: 0, terminated: false, info: { format_error: true } });
    expect((await client.step('submit')).body).toMatchObject({ reward: 0, terminated: true, truncated: false });
    expect(await client.step('ls')).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('Reset') as string },
    });
    expect(await new NemoClient(server).step('ls')).toMatchObject({
      ...{ status: 409, body: { detail: expect.stringContaining('cookie') as string } },
    });
  });

  it('aggregates rewards, without what is masked', async () => {
    const rollout = (task: number, reward: number, masked = false) => ({
      ...{ _ng_task_index: task, _ng_rollout_index: 0, reward, info: { mask_sample: masked } },
    });
    const sent = [rollout(0, 1), rollout(0, 3), rollout(1, 5), rollout(1, 0, true)];
    const { body } = await new NemoClient(server).send('/aggregate_metrics', { verify_responses: sent });
    expect(body).toEqual({
      group_level_metrics: [
        {
          _ng_task_index: 0,
          ...{ 'mean/reward': 2, 'max/reward': 3, 'min/reward': 1, 'median/reward': 2 },
          'std/reward': Math.SQRT2,
        },
        { _ng_task_index: 1, ...{ 'mean/reward': 5, 'max/reward': 5, 'min/reward': 5, 'median/reward': 5 } },
      ],
      agent_metrics: {
        'mean/reward': 3,
        'max/reward': 5,
        'min/reward': 1,
        'median/reward': 3,
        'std/reward': 2,
        masked: 1,
      },
      key_metrics: { 'mean/reward': 3 },
    });
  });
});

describe('MCP', () => {
  const reset = { 'x-bench-reset': JSON.stringify({ task: 'stated', seed: 3 }) };

  it('gives the task as instructions, plays by tools, and no tool begins another episode', async () => {
    const client = new McpClient(server, reset);
    const { result } = await client.hello();
    expect(result).toEqual({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, prompts: {} },
      serverInfo: { name: 'bench', version: expect.any(String) as string },
      instructions: expect.stringContaining('Write a whole number') as string,
    });
    expect(await client.ask('ping')).toEqual({ jsonrpc: '2.0', id: 2, result: {} });
    const { tools } = (await client.ask('tools/list')).result as { tools: { name: string; inputSchema: object }[] };
    expect(tools.map(({ name }) => name)).toEqual(['run', 'validate', 'submit', 'wait', 'interrupt']);
    expect((await client.ask('prompts/get', { name: 'task' })).result).toEqual({
      messages: [{ role: 'user', content: { type: 'text', text: result!['instructions'] } }],
    });
    const printed = await client.call('run', { command: 'echo 4 > answer.json; cat answer.json' });
    expect(printed.text).toMatch(/^4\n/);
    expect(printed.bench).toMatchObject({ reward: null, done: false, metadata: { action_seq: 1, task: 'stated' } });
    expect(await client.call('run', { cmd: 'ls' })).toMatchObject({
      isError: true,
      bench: { reason: 'input_validation' },
    });
    expect(await client.call('reset', {})).toMatchObject({ isError: true, bench: { reason: 'not_found' } });
    expect((await client.call('validate')).text).toContain('Score = 4');
    // As over ORS: the best, at the end.
    expect((await client.call('submit')).bench).toMatchObject({ reward: 1, done: true });
    expect(await client.call('run', { command: 'ls' })).toMatchObject({ isError: true });
    expect(await client.ask('no/method')).toMatchObject({ error: { code: -32601 } });
  });

  it('goes on with a call whose stream broke: it is executed once', async () => {
    const client = new McpClient(server, reset);
    await client.hello();
    const response = await client.post('tools/call', {
      name: 'run',
      arguments: { command: 'echo x >> n; sleep 2; wc -l < n' },
    });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    const primed = String((await reader.read()).value);
    const id = /^id: (\S+)$/m.exec(primed)?.[1] ?? '';
    expect(id).not.toBe('');
    await reader.cancel();
    server.killServer();
    const again = await client.send('GET', undefined, { 'last-event-id': id });
    expect(again.status).toBe(200);
    const text = await again.text();
    expect(text).toContain(`id: ${id}\n`);
    expect(text).toContain('"text":"1\\n"');
    expect((await client.send('GET')).status).toBe(405);
    expect((await client.send('DELETE')).status).toBe(204);
    await expect.poll(async () => (await client.post('ping', {})).status, { timeout: 60_000 }).toBe(404);
  });

  it('refuses requests without a session, and sessions that it did not give', async () => {
    const client = new McpClient(server, reset);
    expect((await client.post('tools/list', {})).status).toBe(400);
    client.session = 'made-up';
    expect((await client.post('tools/list', {})).status).toBe(404);
  });
});

/** As it stands: fetch would correct a path. */
const answerTo = ({ method, path, headers, body }: AnyRequest): Promise<{ status: number; said: string }> =>
  new Promise((resolve, reject) => {
    const { hostname, port, pathname } = new URL(server.url);
    const type = body === null ? {} : { 'content-type': 'application/json' };
    const asked = request(
      { ...{ hostname, port, method, path: `${pathname}${path}` }, headers: { ...type, ...headers } },
      (answer) => {
        // An EventStream of MCP without an event may stay open: its head is the answer.
        const said = answer.headers['content-type']?.startsWith('text/event-stream') === true ? '' : text(answer);
        Promise.resolve(said)
          .then((read) => resolve({ status: answer.statusCode ?? 0, said: read }))
          .catch(reject);
      },
    );
    asked.once('error', reject).end(body ?? undefined);
  });

/** A fault of ours, in the words of any protocol. */
const OUR_FAULT = /SQLSTATE|Postgres|"type":"failed"|Cannot read|is not a function|not iterable|call stack|-32603/;

describe('requests of any shape', () => {
  // The short form has a fixed seed; BENCH_TEST_SEED gives both forms another.
  const seed = Number(process.env['BENCH_TEST_SEED'] ?? (LONG ? Date.now() & 0x7fffffff : 51));
  const numRuns = LONG ? 20_000 : 240;

  it('over HTTP are answered, and never by a fault of ours', { timeout: LONG ? 3_600_000 : 300_000 }, async () => {
    const { episode_id: id } = await begin();
    await fc.assert(
      fc.asyncProperty(anyRequest([id]), async (asked) => {
        const { status, said } = await answerTo(asked);
        expect([asked, status, OUR_FAULT.exec(said)?.[0]]).toEqual([
          asked,
          expect.toSatisfy((code: number) => code < 500) as number,
          undefined,
        ]);
      }),
      { numRuns, seed },
    );
    expect((await server.ask('GET', '/health')).body).toEqual({ status: 'healthy' });
  });

  it(
    'over a WebSocket are answered or end it, and never by a fault of ours',
    { timeout: LONG ? 3_600_000 : 300_000 },
    async () => {
      let socket: WebSocket | null = null;
      const open = (): Promise<WebSocket> =>
        new Promise((resolve, reject) => {
          const fresh = new WebSocket(`${server.url.replace('http', 'ws')}/ws`);
          fresh.once('open', () => resolve(fresh)).once('error', reject);
        });
      await fc.assert(
        fc.asyncProperty(anyFrame, async (frame) => {
          const on = socket?.readyState === WebSocket.OPEN ? socket : await open();
          socket = on;
          const reply = new Promise<string>((resolve) => {
            on.once('message', (data: Buffer) => resolve(data.toString())).once('close', (code) =>
              resolve(`closed ${code}`),
            );
          });
          on.send(frame);
          const said = await reply;
          expect([frame, OUR_FAULT.exec(said)?.[0]]).toEqual([frame, undefined]);
          on.removeAllListeners('close').removeAllListeners('message');
        }),
        { numRuns: numRuns / 4, seed },
      );
      (socket as WebSocket | null)?.terminate();
    },
  );
});
