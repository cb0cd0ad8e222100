import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BenchHome } from '../setup/bench-home.js';
import { EnvServer } from '../setup/env-server.js';
import { OpenEnvClient, type Reply } from '../setup/open-env-client.js';
import { LONG } from '../setup/long.js';

let home: BenchHome;
let server: EnvServer;
let pid = 0;
beforeAll(async () => {
  home = new BenchHome();
  server = new EnvServer(home, ['--max-steps', '12', '--grace', '1s']);
  ({ pid } = await server.start());
});
afterAll(async () => {
  await server.stop();
  await home.remove();
});

const connect = (prefix = '', headers: Record<string, string> = {}) =>
  OpenEnvClient.connect(`${server.url}${prefix}`, headers);
let keys = 0;
const newKey = (): string => `a-key-of-a-test-${++keys}`;
const always = (move: number) => `printf 'def row_strategy(history):\\n    return ${move}\\n' > strategy.py`;
const episode = async (id: unknown) =>
  (await server.ask<{ ended: boolean; end_reason: string | null }>('GET', `/v1/episodes/${String(id)}`)).body;
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  server.ask('POST', path, body, headers);

describe('frames', () => {
  test('reset, step, state and close', async () => {
    const client = await connect();
    const begun = await client.reset({ seed: 7 });
    const id = begun.data.metadata['episode_id'];
    expect(begun).toEqual({
      type: 'observation',
      data: {
        observation: { message: expect.stringContaining('Write the row player') as string },
        reward: null,
        done: false,
        metadata: {
          ...{ episode_id: id, run_id: id, task: 'battleOfSexes', seed: 7, action_seq: 0, status: 'ok' },
          ...{ current_step: 1, remaining_steps: 12, remaining_validations: 10 },
        },
      },
    });
    await client.step(always(0));
    const validated = await client.step('validate');
    expect(Object.keys(validated.data)).toEqual(['observation', 'reward', 'done', 'metadata']);
    expect(Object.keys(validated.data.observation)).toEqual(['message']);
    expect(validated.data.reward).not.toBeNull();
    expect(validated.data.metadata).toMatchObject({
      ...{ task: 'battleOfSexes', exit_code: 0, timed_out: false, truncated_bytes: 0, current_step: 2 },
      ...{ remaining_steps: 10, format_error: false, terminated: false, truncated: false, exit_status: null },
      ...{ status: 'ok', action_seq: 2, evaluation: { kind: 'validate', valid: true } },
    });
    expect(validated.data.metadata).not.toHaveProperty('missed');
    expect(await client.ask({ type: 'state' })).toMatchObject({
      type: 'state',
      data: { episode_id: id, step_count: 2, done: false, task: 'battleOfSexes', seed: 7 },
    });
    const last = await client.step('submit');
    expect(last.data).toMatchObject({ done: true, metadata: { terminated: true, exit_status: 'submitted' } });
    const { gain } = last.data.metadata['evaluation'] as { gain: number };
    expect(validated.data.reward! + last.data.reward!).toBe(gain);
    expect(await client.step('ls')).toMatchObject({ type: 'error', data: { code: 'EXECUTION_ERROR' } });
    // Many resets on one connection; what was before is given up.
    const second = await client.reset({ observation: 'full' });
    expect(second.data.observation).toMatchObject({ status: 'ok', action_seq: 0 });
    client.send({ type: 'close' });
    expect(await client.closed).toBe(1000);
    await expect
      .poll(() => episode(second.data.metadata['episode_id']), { timeout: 60_000 })
      .toMatchObject({ ended: true });
  });

  test.each([
    ['what is no JSON', '{', 'INVALID_JSON', ''],
    ['a type that is none', { type: 'jump' }, 'UNKNOWN_TYPE', 'jump'],
    ['a frame that is no object', '[]', 'VALIDATION_ERROR', 'object'],
    ['data that is no object', { type: 'step', data: 'ls' }, 'VALIDATION_ERROR', 'object'],
    ['an unknown key', { type: 'reset', data: { tsk: 'x' } }, 'VALIDATION_ERROR', 'tsk'],
    ['an unknown task', { type: 'reset', data: { task: 'nope' } }, 'VALIDATION_ERROR', 'battleOfSexes'],
    ['a negative seed', { type: 'reset', data: { seed: -1 } }, 'VALIDATION_ERROR', 'seed'],
    ['an episode that is none', { type: 'reset', data: { resume_episode: 'r-1' } }, 'EXECUTION_ERROR', 'r-1'],
    ['a step before a reset', { type: 'step', data: { command: 'ls' } }, 'EXECUTION_ERROR', 'Reset'],
  ])('%s is an error, and the connection stays', async (_what, frame, code, named) => {
    const client = await connect();
    const refused = await client.ask(frame);
    expect(refused).toMatchObject({ type: 'error', data: { code } });
    expect(refused.data['message']).toContain(named);
    if (code === 'VALIDATION_ERROR') expect(refused.data['errors']).toHaveLength(1);
    expect((await client.ask({ type: 'state' })).data).toEqual({ episode_id: null, step_count: 0 });
    client.cut();
  });

  test('what a model wrote is never an error, and executes nothing', async () => {
    const client = await connect('/envs/battleOfSexes');
    await client.ask({ type: 'reset', data: { seed: null } });
    for (const action of [{ cmd: 'ls' }, { command: 'ls', action_seq: 'x' }]) {
      const answer = await client.step(action);
      expect(answer.data).toMatchObject({ done: false, metadata: { format_error: true, exit_code: null } });
      expect(answer.data.observation.message).toContain('Nothing was executed');
    }
    expect((await client.step({ reply: 'none' })).data).toMatchObject({ done: true, metadata: { truncated: true } });
    client.cut();
  });

  test('numbered actions are executed once, and a gap is an error', async () => {
    const client = await connect();
    await client.reset();
    const first = await client.step({ command: 'echo x >> n; wc -l < n', action_seq: 1 });
    const again = await client.step({ command: 'echo x >> n; wc -l < n', metadata: { action_seq: 1 } });
    expect(again).toEqual(first);
    expect(first.data.metadata['output']).toBe('1\n');
    expect(await client.step({ command: 'ls', action_seq: 3 })).toMatchObject({
      type: 'error',
      data: { code: 'EXECUTION_ERROR', message: expect.stringContaining('2') as string },
    });
    expect((await client.step({ command: 'wc -l < n', action_seq: 2 })).data.metadata['output']).toBe('1\n');
    client.cut();
  });

  test('a number that a model wrote neither pays twice nor ends anything', async () => {
    const client = await connect();
    await client.reset();
    // The trainer does not number: its first step had none.
    await client.step(always(0));
    const paid = await client.step({ command: 'validate', action_seq: 2 });
    expect(paid.data.reward).not.toBeNull();
    const again = await client.step({ command: 'validate', action_seq: 2 });
    expect(again.data).toMatchObject({ reward: null, metadata: { action_seq: 2, evaluation: { kind: 'validate' } } });
    for (const action_seq of [1, 9])
      expect((await client.step({ command: 'ls', action_seq })).data.metadata).toMatchObject({ format_error: true });
    // What it prints is no reward, whatever it looks like.
    const printed = await client.step(`echo 'Score: 99'; echo '{"reward": 99, "done": true}'`);
    expect(printed.data).toMatchObject({ reward: null, done: false, metadata: { evaluation: null } });
    client.cut();
  });

  test('a command longer than its client waits is answered, and goes on', async () => {
    const client = await connect();
    await client.reset({ soft_step_s: 0.5 });
    const running = await client.step('sleep 3; echo late');
    expect(running.data).toMatchObject({ reward: null, done: false, metadata: { status: 'running', action_seq: 1 } });
    let answer = running;
    while (answer.data.metadata['status'] === 'running')
      answer = await client.step({ command: 'sleep 3; echo late', action_seq: 1 });
    expect(answer.data.metadata).toMatchObject({ output: 'late\n', action_seq: 1 });
    client.cut();
  });

  test('a command that runs is waited for and interrupted, and nothing else is executed beside it', async () => {
    const client = await connect();
    await client.reset({ soft_step_s: 0.5 });
    const running = { metadata: { status: 'running', action_seq: 1 } };
    expect((await client.step('echo begun; sleep 600; echo never')).data).toMatchObject(running);
    for (const command of ['touch beside', 'wait']) expect((await client.step(command)).data).toMatchObject(running);
    await expect
      .poll(async () => (await client.step('wait')).data.metadata['output'], { timeout: 60_000 })
      .toBe('begun\n');
    let answer = await client.step('interrupt');
    while (answer.data.metadata['status'] === 'running') answer = await client.step('wait');
    expect(answer.data.metadata).toMatchObject({
      output: 'begun\n[command interrupted]',
      action_seq: 1,
      current_step: 1,
    });
    let listed = await client.step('ls');
    while (listed.data.metadata['status'] === 'running') listed = await client.step('wait');
    expect(listed.data.metadata).toMatchObject({ action_seq: 2, current_step: 2 });
    expect(listed.data.metadata['output']).not.toContain('beside');
    client.cut();
  });
});

describe('sessions', () => {
  test('with a key outlive the server: a repeated step gets its one outcome', async () => {
    const prefix = `/s/${newKey()}`;
    const client = await connect(prefix);
    const begun = await client.reset({ seed: 3 });
    await client.step('echo zero >> n');
    client.send({ type: 'step', data: { command: 'echo one >> n; sleep 3; cat n' } });
    const taken = `select 1 from episode_actions where run_id = $1 and seq = 2`;
    await expect.poll(() => home.sql(taken, [begun.data.metadata['run_id']]), { timeout: 60_000 }).toHaveLength(1);
    await server.kill(pid);
    expect(await client.next()).toBeNull();
    ({ pid } = await server.start());
    const second = await connect(prefix);
    const answer = await second.step('echo one >> n; sleep 3; cat n');
    expect(answer.data.metadata).toMatchObject({ output: 'zero\none\n', action_seq: 2 });
    // From here on it has been read: the same command again is another action.
    expect((await second.step('echo one >> n; sleep 3; cat n')).data.metadata['action_seq']).toBe(3);
    second.cut();
    expect(await episode(begun.data.metadata['episode_id'])).toMatchObject({ ended: false });
  });

  test.runIf(LONG)('another action after a lost answer is executed, and says what was missed', async () => {
    const key = newKey();
    const client = await connect('', { 'x-bench-session': key });
    const begun = await client.reset();
    await client.step('echo lost');
    const second = await connect(`/s/${key}`);
    expect(await client.closed).toBe(4000);
    const answer = await second.step('echo next');
    expect(answer.data.metadata).toMatchObject({
      ...{ output: 'next\n', action_seq: 2 },
      missed: [{ action_seq: 1, reward: null, observation: { message: expect.stringContaining('lost') as string } }],
    });
    expect((await second.step('echo next')).data.metadata).not.toHaveProperty('missed');
    // The end is kept for whoever comes back, too.
    await second.step('submit');
    const third = await connect(`/s/${key}`);
    const end = await third.step('ls');
    expect(end.data).toMatchObject({ done: true, metadata: { action_seq: 4, terminated: true } });
    third.cut();
    expect(await episode(begun.data.metadata['episode_id'])).toMatchObject({ ended: true });
  });

  // Without it, episodes with a key outlive it above.
  test.runIf(LONG)(
    'without a key outlive the server on their connection: what was read is not given again, what was not is not executed again',
    async () => {
      const client = await connect();
      const begun = await client.reset();
      const id = begun.data.metadata['episode_id'];
      await client.step('echo x >> n; sleep 2; wc -l < n');
      expect(server.killServer()).toBe(true);
      client.send({ type: 'step', data: { command: 'echo x >> n; sleep 2; wc -l < n' } });
      const taken = `select 1 from episode_actions where run_id = $1 and seq = 2`;
      await expect.poll(() => home.sql(taken, [begun.data.metadata['run_id']]), { timeout: 60_000 }).toHaveLength(1);
      expect(server.killServer()).toBe(true);
      expect((await client.next())?.data.metadata).toMatchObject({ output: '2\n', action_seq: 2 });
      client.send({ type: 'close' });
      expect(await client.closed).toBe(1000);
      await expect.poll(() => episode(id), { timeout: 60_000 }).toMatchObject({ ended: true });
    },
  );

  // Without it, episodes.test.ts has episodes given up.
  test.runIf(LONG)('with a key are not given up while their client asks after them, whatever it asks', async () => {
    const asked = async (ask: (client: OpenEnvClient) => Promise<Reply>) => {
      const client = await connect(`/s/${newKey()}`);
      const id = (await client.reset({ soft_step_s: 0.5, idle_s: 4 })).data.metadata['episode_id'];
      await client.step('sleep 600');
      for (const until = Date.now() + 12_000; Date.now() < until; await new Promise((done) => setTimeout(done, 300)))
        await ask(client);
      expect(await episode(id)).toMatchObject({ ended: false });
      client.cut();
      await expect.poll(() => episode(id), { timeout: 60_000 }).toMatchObject({ end_reason: 'cancelled' });
    };
    await Promise.all([asked((client) => client.step('wait')), asked((client) => client.ask({ type: 'state' }))]);
  });

  test('a reset whose answer was lost is the same reset', async () => {
    const prefix = `/s/${newKey()}`;
    const [first, second] = [await (await connect(prefix)).reset(), await (await connect(prefix)).reset()];
    expect(second.data.metadata['episode_id']).toBe(first.data.metadata['episode_id']);
  });

  test.runIf(LONG)('without a key a server that dies leaves an episode no longer than its grace', async () => {
    const client = await connect();
    const id = (await client.reset()).data.metadata['run_id'];
    await client.step('true');
    const left = `select extract(epoch from expires_at - now())::float8 as left from episodes where run_id = $1`;
    await expect
      .poll(async () => (await home.sql<{ left: number }>(left, [id]))[0]!.left, { timeout: 60_000 })
      .toBeLessThanOrEqual(60);
    client.cut();
  });

  // Without it, episodes with a key outlive it above.
  test.runIf(LONG)('without a key a lost socket is waited for, and resumed by the id', async () => {
    const client = await connect();
    const id = (await client.reset()).data.metadata['episode_id'];
    await client.step('echo mine > n');
    client.cut();
    const second = await connect();
    const resumed = await second.ask({ type: 'reset', data: { resume_episode: id } });
    expect(resumed.data).toMatchObject({ reward: null, done: false, metadata: { action_seq: 1, episode_id: id } });
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    expect(server.killServer()).toBe(true);
    expect((await second.step('cat n')).data.metadata['output']).toBe('mine\n');
    second.cut();
    await expect.poll(() => episode(id), { timeout: 60_000 }).toMatchObject({ ended: true, end_reason: 'cancelled' });
  });

  test('another session is not taken over by the id of its episode', async () => {
    const id = (await (await connect(`/s/${newKey()}`)).reset()).data.metadata['episode_id'];
    const thief = await connect();
    expect(await thief.reset({ episode_id: id })).toMatchObject({ type: 'error' });
    expect(await thief.ask({ type: 'reset', data: { resume_episode: id } })).toMatchObject({ type: 'error' });
    expect((await post('/step', { action: { command: 'ls' }, episode_id: id })).status).toBe(404);
    thief.cut();
  });

  test.runIf(LONG)('an end that came while nobody acted is an outcome, once', async () => {
    const client = await connect();
    const id = (await client.reset({ deadline_s: 6, reward: { mode: 'best' } })).data.metadata['episode_id'];
    await client.step(always(0));
    await expect.poll(() => episode(id), { timeout: 60_000 }).toMatchObject({ ended: true });
    const late = await client.step('ls');
    expect(late.data).toMatchObject({ done: true, metadata: { truncated: true, status: 'ok' } });
    expect(late.data.reward).not.toBeNull();
    expect(await client.step('ls')).toMatchObject({ type: 'error' });
    client.cut();
  });

  test.runIf(LONG)('an end that its client was told to wait for is the outcome of whatever it does next', async () => {
    const client = await connect();
    const reset = await client.reset({ soft_step_s: 0.2, reward: { mode: 'best' } });
    const id = reset.data.metadata['episode_id'];
    expect((await client.step('sleep 3; submit')).data.metadata['status']).toBe('running');
    await expect.poll(() => episode(id), { timeout: 60_000 }).toMatchObject({ ended: true });
    const told = await client.step('submit');
    expect(told.data).toMatchObject({ done: true, metadata: { action_seq: 1, terminated: true } });
    expect(told.data.reward).not.toBeNull();
    expect(await client.step('submit')).toMatchObject({ type: 'error' });
    client.cut();
  });

  test.runIf(LONG)(
    'a full server lets a reset wait for room, then says so with its counts, and closes after the client has read it',
    async () => {
      const full = new EnvServer(home, ['--name', 'full', '--capacity', '1', '--full-wait', '2']);
      await full.start();
      try {
        const [one, other] = [await OpenEnvClient.connect(full.url), await OpenEnvClient.connect(full.url)];
        await one.reset();
        // What is wrong with it is said at once.
        expect(await other.reset({ task: 'nope' })).toMatchObject({
          type: 'error',
          data: { code: 'VALIDATION_ERROR' },
        });
        expect(await other.reset()).toMatchObject({
          type: 'error',
          data: { code: 'CAPACITY_REACHED', active_sessions: 1, max_sessions: 1 },
        });
        other.send({ type: 'state' });
        expect(await other.closed).toBe(1013);
        const third = await OpenEnvClient.connect(full.url);
        const begun = third.reset();
        one.send({ type: 'close' });
        await one.closed;
        expect(await begun).toMatchObject({ type: 'observation' });
        third.send({ type: 'close' });
        await third.closed;
      } finally {
        await full.stop();
      }
    },
  );

  test('a wrong token opens no socket; a prefix gives the right one', async () => {
    await expect(OpenEnvClient.connect(server.origin)).rejects.toThrow('401');
    await expect(OpenEnvClient.connect(`${server.origin}/t/nope`)).rejects.toThrow('401');
    const client = await OpenEnvClient.connect(`${server.url}/s/${newKey()}`);
    expect((await client.ask({ type: 'state' })).type).toBe('state');
    client.cut();
    expect((await fetch(`${server.url}/metadata`)).status).toBe(200);
    expect((await fetch(`${server.origin}/metadata`)).status).toBe(401);
  });
});

describe('tools', () => {
  test('are listed and called by steps, as older clients do', async () => {
    const client = await connect('/envs/battleOfSexes');
    const listed = await client.step({ type: 'list_tools' });
    const tools = listed.data.observation['tools'] as { name: string; input_schema: object }[];
    expect(tools.map(({ name }) => name)).toEqual(['run', 'validate', 'submit', 'wait', 'interrupt']);
    // No reset: the first call begins an episode.
    const ran = await client.step({ type: 'call_tool', tool_name: 'run', arguments: { command: 'echo hi' } });
    expect(ran.data).toMatchObject({
      observation: { tool_name: 'run', result: { data: expect.stringContaining('hi') as string }, error: null },
      metadata: { exit_code: 0, action_seq: 1 },
    });
    const wrong = await client.step({ type: 'call_tool', tool_name: 'jump', arguments: {} });
    expect(wrong.data).toMatchObject({ observation: { error: null }, metadata: { format_error: true } });
    client.cut();
  });

  test.runIf(LONG)('are called over HTTP in a session that a socket is attached to', async () => {
    const call = async (method: string, params: unknown = {}) =>
      (await post('/envs/battleOfSexes/mcp', { jsonrpc: '2.0', id: 1, method, params })).body as {
        result?: Record<string, unknown>;
        error?: { code: number; message: string };
      };
    const id = (await call('openenv/session/create')).result!['session_id'] as string;
    const { tools } = (await call('tools/list', { session_id: id })).result as { tools: { inputSchema: object }[] };
    expect(tools[0]!.inputSchema).toMatchObject({ required: ['command'] });
    const client = await OpenEnvClient.at(`${server.url}/envs/battleOfSexes/ws?session_id=${id}`);
    const begun = await client.ask({ type: 'reset', data: { seed: 5 } });
    const called = await call('tools/call', { session_id: id, name: 'run', arguments: { command: 'echo hi' } });
    expect(called.result).toMatchObject({
      ...{ data: expect.stringContaining('hi') as string, reward: null, done: false },
      metadata: { episode_id: begun.data.metadata['episode_id'], action_seq: 1 },
    });
    // It was read with its response: the same over the socket is another action.
    expect((await client.step('echo hi')).data.metadata['action_seq']).toBe(2);
    const rpc = await client.ask({ type: 'mcp', data: { jsonrpc: '2.0', id: 7, method: 'tools/list' } });
    expect(rpc).toMatchObject({ type: 'mcp', data: { id: 7, result: { tools: expect.any(Array) as unknown[] } } });
    const closing = await call('openenv/session/close', { session_id: id });
    expect(closing.result).toEqual({ session_id: id, closed: false, closing: true });
    client.send({ type: 'close' });
    await client.closed;
    await expect
      .poll(() => episode(begun.data.metadata['episode_id']), { timeout: 60_000 })
      .toMatchObject({ ended: true });
    expect((await call('tools/call', { session_id: id, name: 'run' })).error).toMatchObject({ code: -32602 });
    const other = (await call('openenv/session/create')).result!['session_id'];
    expect((await call('openenv/session/close', { session_id: other })).result).toEqual({
      session_id: other,
      closed: true,
    });
    expect((await call('openenv/session/close', { session_id: other })).error).toMatchObject({ code: -32602 });
  });

  // Without it, protocols.test.ts breaks the stream of a call.
  test.runIf(LONG)(
    'are executed once, though their server dies, or their connection breaks and their client asks again',
    async () => {
      const command = 'echo x >> n; sleep 2; wc -l < n';
      const call = (id: number, params: object = {}) => ({
        ...{ jsonrpc: '2.0', id, method: 'tools/call' },
        params: { name: 'run', arguments: { command }, ...params },
      });
      const taken = (runId: unknown, seq: number) =>
        expect
          .poll(() => home.sql(`select 1 from episode_actions where run_id = $1 and seq = $2`, [runId, seq]), {
            timeout: 60_000,
          })
          .toHaveLength(1);
      const client = await connect();
      const { run_id: id } = (await client.reset()).data.metadata;
      client.send({ type: 'mcp', data: call(1) });
      await taken(id, 1);
      expect(server.killServer()).toBe(true);
      const told = (reply: unknown) => (reply as { result: { metadata: Record<string, unknown> } }).result.metadata;
      expect(told((await client.next())?.data)).toMatchObject({ output: '1\n', action_seq: 1 });
      // It has been read: the same call is another one.
      expect(told((await client.ask({ type: 'mcp', data: call(2) })).data)).toMatchObject({ output: '2\n' });
      client.cut();

      const headers = { 'content-type': 'application/json', 'x-bench-session': newKey() };
      const begun = await post('/reset', { task: 'battleOfSexes' }, headers);
      const run = (begun.body['metadata'] as Record<string, unknown>)['run_id'];
      const lost = new AbortController();
      const body = JSON.stringify(call(1));
      const first = fetch(`${server.url}/mcp`, { method: 'POST', headers, body, signal: lost.signal });
      await taken(run, 1);
      lost.abort();
      await expect(first).rejects.toThrow();
      // Whether it is over by then, or not.
      await new Promise((resolve) => setTimeout(resolve, 4_000));
      expect(told((await post('/mcp', call(2), headers)).body)).toMatchObject({ output: '1\n', action_seq: 1 });
      expect(told((await post('/mcp', call(3), headers)).body)).toMatchObject({ output: '2\n', action_seq: 2 });
    },
  );

  test.each([
    ['{}', -32600],
    ['{', -32700],
    ['{"jsonrpc":"2.0","id":1,"method":"jump"}', -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run"}}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run","session_id":"mcp-1"}}', -32602],
  ])('%s is JSON-RPC error %i', async (body, code) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${server.url}/mcp`, { method: 'POST', headers, body });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code } });
  });
});

describe('HTTP', () => {
  test('describes the server', async () => {
    const [about, schema, api] = await Promise.all(
      ['/metadata', '/schema', '/openapi.json'].map(async (path) => (await server.ask('GET', path)).body),
    );
    expect(about).toMatchObject({ name: 'bench', description: expect.stringContaining('battleOfSexes') as string });
    expect(schema!['action']).toEqual({
      ...{ title: 'BenchAction', type: 'object', properties: { command: { type: 'string' } } },
      required: ['command'],
    });
    expect(JSON.stringify(schema!['action']).length).toBeLessThan(150);
    expect(Object.keys(schema!)).toEqual(['action', 'observation', 'reset_observation', 'state']);
    expect(api).toMatchObject({ info: { version: '1.0.0' }, paths: { '/reset': {}, '/step': {}, '/state': {} } });
  });

  test('plays an episode by its id, and refuses a request that names none', async () => {
    const id = 'an-episode-of-mine';
    const begun = await post('/reset', { task: 'battleOfSexes', episode_id: id, seed: 1 });
    expect(begun).toMatchObject({ status: 200, body: { reward: null, done: false, metadata: { episode_id: id } } });
    const step = await post('/step', { action: { command: 'echo hi' }, episode_id: id });
    expect(step.body).toMatchObject({ observation: {}, reward: null, done: false, metadata: { output: 'hi\n' } });
    expect((await server.ask('GET', `/state?episode_id=${id}`)).body).toMatchObject({ episode_id: id, step_count: 1 });
    expect((await post('/reset', { task: 'battleOfSexes' })).status).toBe(409);
    expect((await post('/step', { action: { command: 'ls' } })).status).toBe(409);
    expect((await server.ask('GET', '/state')).status).toBe(409);
    expect(await post('/step', { episode_id: id })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'action'] }] },
    });
    expect(await post('/reset', { episode_id: 'x', tsk: 1 })).toMatchObject({
      status: 422,
      body: { detail: [{ msg: expect.stringContaining('tsk') as string }] },
    });
    await server.ask('DELETE', `/v1/episodes/${id}`);
  });

  test('lists tasks', async () => {
    expect((await server.ask('GET', '/list_environments')).body).toEqual(['bench']);
    expect((await server.ask('GET', '/bench/splits')).body).toContainEqual({ name: 'train', type: 'train' });
    const row = { task: 'battleOfSexes' };
    const split = 'train';
    expect((await post('/bench/tasks', { split })).body).toEqual({ tasks: [row], env_name: 'bench' });
    expect((await post('/bench/num_tasks', { split })).body).toEqual({ num_tasks: 1 });
    expect((await post('/bench/task', { split, index: 0 })).body).toEqual({ task: row, env_name: 'bench' });
    expect((await post('/bench/task_range', { split, start: 0 })).body).toMatchObject({ tasks: [row] });
    expect((await post('/bench/task_range', { split, start: 1, stop: 9 })).body).toMatchObject({ tasks: [] });
    expect((await post('/bench/task', { split, index: 1 })).status).toBe(400);
    expect((await post('/bench/tasks', { split: 'nope' })).status).toBe(404);
    expect((await post('/other/tasks', { split })).status).toBe(404);
    expect((await post('/bench/tasks', {})).status).toBe(422);
  });
});
