import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BenchHome } from '../setup/bench-home.js';
import { EnvServer } from '../setup/env-server.js';
import { OrsClient, events } from '../setup/ors-client.js';
import { LONG } from '../setup/long.js';

let home: BenchHome;
let server: EnvServer;
beforeAll(async () => {
  home = new BenchHome();
  server = new EnvServer(home, ['--max-steps', '8']);
  await server.start();
});
afterAll(async () => {
  await server.stop();
  await home.remove();
});

const opened = async (spec: Record<string, unknown> = {}, prefix = ''): Promise<OrsClient> => {
  const client = new OrsClient(server, prefix);
  const task = { task_spec: { task: 'battleOfSexes', ...spec }, env_name: 'bench' };
  expect(await client.open(task)).toMatchObject({ status: 200, text: JSON.stringify({ sid: client.sid }) });
  return client;
};
const close = (client: OrsClient) => client.send('POST', '/delete');
const always = (move: number) => `printf 'def row_strategy(history):\\n    return ${move}\\n' > strategy.py`;
const episodes = async (): Promise<number> =>
  (await home.sql<{ count: number }>('select count(*)::int as count from episodes'))[0]!.count;

describe('a session over ORS', () => {
  test('costs nothing until it is created, and is the same when it is created again', async () => {
    const client = new OrsClient(server);
    const before = await episodes();
    const created = await client.send('POST', '/create_session', {});
    expect(created.headers.get('content-type')).toBe('text/event-stream');
    const [first, last] = events(created.text);
    expect(created.text).toBe(`event: task_id\ndata: ${first!.data}\n\nevent: end\ndata: \n\n`);
    expect(last).toEqual({ event: 'end', data: '' });
    client.sid = first!.data;
    expect(await client.send('POST', '/delete_session')).toMatchObject({ status: 200 });
    expect(await episodes()).toBe(before);
    const twice = await Promise.all([0, 1].map(() => client.send('POST', '/create', { split: 'train', index: 0 })));
    expect(twice.map(({ status }) => status)).toEqual([200, 200]);
    expect(await client.send('POST', '/create', { split: 'train', index: 0 })).toMatchObject({ status: 200 });
    expect(await episodes()).toBe(before + 1);
    // The session's id is its client's secret: no row has it.
    const rows = await home.sql('select to_jsonb(e) as row from episodes e');
    expect(JSON.stringify(rows)).not.toContain(client.sid);
    await close(client);
  });

  test('shows its prompt and tools, and plays: rewards come at the end, once', async () => {
    const client = await opened({ seed: 7 }, '/bench');
    const prompt = JSON.parse((await client.send('GET', '/prompt')).text) as { text: string }[];
    expect(prompt).toEqual([
      { type: 'text', text: expect.stringContaining('Write the row player') as string, detail: null },
    ]);
    for (const path of ['/tools', '/bench/tools', '/task_tools', '/bench/task_tools']) {
      const listed = JSON.parse((await client.send('GET', path)).text) as { tools: { name: string }[] };
      expect(listed).toMatchObject({ terminal_tool: null, supports_score_group: false, message_block_types: ['text'] });
      expect(listed.tools.map(({ name }) => name)).toEqual(['run', 'validate', 'submit', 'wait', 'interrupt']);
    }
    const listed = await client.call('run', { command: 'ls' });
    expect(listed.read.map(({ event }) => event)).toEqual(['task_id', 'end']);
    expect(listed.read[0]!.data).toBe('1');
    expect(listed.result).toMatchObject({
      ok: true,
      output: { metadata: { action_seq: 1, exit_code: 0, task: 'battleOfSexes' }, reward: null, finished: false },
    });
    expect(listed.result.output.blocks).toEqual([
      { type: 'text', text: expect.stringContaining('strategy.py') as string, detail: null },
      { type: 'text', text: expect.stringContaining('7 remaining') as string, detail: null },
    ]);
    await client.call('run', { command: always(0) });
    const validated = await client.call('validate');
    expect(validated.result.output).toMatchObject({
      finished: false,
      metadata: { evaluation: { kind: 'validate', valid: true } },
    });
    const { result } = await client.call('submit');
    expect(result.output).toMatchObject({ finished: true, metadata: { terminated: true, exit_status: 'submitted' } });
    // What is kept is the last reward: the best of the episode.
    const gains = [validated.result, result].map(
      ({ output }) => (output.metadata['evaluation'] as { gain: number }).gain,
    );
    expect(result.output.reward).toBeCloseTo(Math.max(...gains), 9);
    expect((await client.call('run', { command: 'ls' })).result).toMatchObject({
      ok: false,
      reason: 'episode_finished',
    });
    expect(await client.send('POST', '/ping')).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    expect(await close(client)).toMatchObject({ status: 200 });
  });

  test('is paid as its task says, and ends by its deadline with a result', async () => {
    const client = await opened({ reward: { mode: 'delta_prev' }, deadline_s: 25 });
    await client.call('run', { command: always(0) });
    expect((await client.call('validate')).result.output.reward).toEqual(expect.any(Number));
    const last = await client.call('run', { command: 'sleep 60' });
    expect(last.result.output).toMatchObject({ finished: true, metadata: { truncated: true, timed_out: true } });
  });

  // Without it, openenv.test.ts has episodes outlive it.
  test.runIf(LONG)(
    'outlives the server: a call goes on, is executed once, and its result is asked for again',
    async () => {
      const client = await opened();
      await client.call('run', { command: 'true' });
      const running = () => home.sql('select 1 from episode_actions where outcome is null');
      const deaths = [
        async () => void expect(server.killServer()).toBe(true),
        async () => {
          await server.kill();
          await server.start();
        },
      ];
      for (const [died, die] of deaths.entries()) {
        const call = client.call('run', { command: 'echo x >> n; sleep 4; wc -l < n' });
        await expect.poll(async () => (await running()).length).toBeGreaterThan(0);
        await die();
        const { result, broken } = await call;
        expect(broken).toBeGreaterThan(0);
        expect(result.output.blocks[0]!.text.trim()).toBe(String(died + 1));
      }
      // An equal call after an answer that was read is a new one.
      expect(await client.printed('echo x >> n; wc -l < n')).toBe('3');
      expect(await client.printed('echo x >> n; wc -l < n')).toBe('4');
      await close(client);
    },
  );

  test('knows a call again whose stream broke before its number was read, and puts others in a row', async () => {
    const client = await opened();
    const body = { name: 'run', input: { command: 'echo x >> n; sleep 2; wc -l < n' } };
    const broken = new AbortController();
    const gone = fetch(`${server.url}/call`, {
      ...{ method: 'POST', body: JSON.stringify(body), signal: broken.signal },
      headers: { 'content-type': 'application/json', 'x-session-id': client.sid },
    }).then((response) => response.text());
    await expect
      .poll(async () => (await home.sql('select 1 from episode_actions where outcome is null')).length)
      .toBeGreaterThan(0);
    broken.abort();
    await expect(gone).rejects.toThrow();
    const [same, other] = await Promise.all([
      client.printed(body.input.command),
      client.printed('echo y >> n; wc -l < n'),
    ]);
    expect([same, other]).toEqual(['1', '2']);
    await close(client);
  });

  test('gets long results in chunks that lose nothing', async () => {
    const client = await opened();
    // Nearly the most that is kept of an output; any cut would begin a part with white space.
    const { result, read } = await client.call('run', { command: `printf 'a%127998sz' ''` });
    expect(read.map(({ event }) => event)).toEqual(['task_id', 'chunk', 'end']);
    expect(result.output.metadata).toMatchObject({ exit_code: 0, truncated_bytes: 0 });
    expect(result.output.metadata['output']).toBe(`a${' '.repeat(127_998)}z`);
    for (const { data } of read) expect(Buffer.byteLength(data)).toBeLessThan(400 * 1024);
    await close(client);
  });

  // Without it, openenv.test.ts waits for long commands.
  test.runIf(LONG)(
    'answers early if its task says so: `wait` brings the outcome, and nothing else is executed meanwhile',
    async () => {
      const client = await opened({ soft_step_s: 1 });
      const early = await client.call('run', { command: 'sleep 8; echo late' });
      const running = { status: 'running', action_seq: 1 };
      expect(early.result.output).toMatchObject({ reward: null, finished: false, metadata: running });
      const other = await client.call('run', { command: 'echo other' });
      expect(other.result.output).toMatchObject({ reward: null, finished: false, metadata: running });
      expect(other.result.output.blocks[0]!.text).toContain('was not executed');
      let { result } = await client.call('wait');
      while (result.output.metadata['status'] === 'running') ({ result } = await client.call('wait'));
      expect(result.output.metadata).toMatchObject({ status: 'ok', action_seq: 1, output: 'late\n' });
      // It has been read: there is nothing to wait for.
      expect((await client.call('wait')).result.output.blocks[0]!.text).toContain('No command runs');
      await close(client);
    },
  );

  test('is gone when it was deleted, whatever ran then', async () => {
    const client = await opened();
    await client.call('run', { command: 'true' });
    // What was cut off is no result: a reward of zero would be trained on.
    const cut = expect(client.call('run', { command: 'sleep 600' })).rejects.toThrow(/error event.*cancelled|410/);
    await expect
      .poll(async () => (await home.sql('select 1 from episode_actions where outcome is null')).length)
      .toBeGreaterThan(0);
    expect(await close(client)).toMatchObject({ status: 200, text: JSON.stringify({ sid: client.sid }) });
    await cut;
    expect(await close(client)).toMatchObject({ status: 200 });
    for (const path of ['/ping', '/call'])
      await expect
        .poll(async () => (await client.send('POST', path, { name: 'run', input: { command: 'ls' } })).status)
        .toBe(410);
  });
});

describe('bad requests over ORS', () => {
  test('of the tools are results, which execute nothing', async () => {
    const client = await opened();
    for (const [name, input, reason] of [
      ['jump', {}, 'not_found'],
      ['run', {}, 'input_validation'],
      ['run', { command: 3 }, 'input_validation'],
    ] as const)
      expect((await client.call(name, input)).result).toMatchObject({ ok: false, reason });
    expect((await client.call('wait')).result).toMatchObject({ ok: true, output: { reward: null, finished: false } });
    expect((await client.call('run', { command: 'echo fine' })).result.output.metadata['action_seq']).toBe(1);
    // The policy's channel has no reset, fork, or session of another.
    expect((await client.call('reset', {})).result).toMatchObject({ ok: false, reason: 'not_found' });
    await close(client);
  });

  const sid = '01jd0000000000000000000000-00000000000000000000000000000000';
  test.each([
    ['POST', '/create', undefined, {}, 400, 'X-Session-ID'],
    ['POST', '/create', '', {}, 400, 'X-Session-ID'],
    ['POST', '/create', 'mine', { split: 'train', index: 0 }, 404, 'unknown session'],
    ['POST', '/create', sid, { task_spec: { tsk: 'x' } }, 422, 'tsk'],
    ['POST', '/create', sid, { task_spec: { task: 'nope' } }, 404, 'nope'],
    ['POST', '/create', sid, { split: 'train', index: 1 }, 422, 'index 1'],
    ['POST', '/create', sid, { split: 'train', index: 0, env_name: 'other' }, 404, 'other'],
    ['POST', '/create', sid, { split: 'train', index: 0, toolset_name: 'cli' }, 422, 'toolset'],
    ['POST', '/create', sid, '{', 400, 'JSON'],
    ['POST', '/create', sid, '[]', 422, 'object'],
    ['POST', '/create_session', undefined, { env: { A: '1' } }, 422, 'env'],
    ['GET', '/prompt', sid, undefined, 404, 'unknown session'],
    ['GET', '/task_tools', sid, undefined, 404, 'unknown session'],
    ['GET', '/other/tools', sid, undefined, 404, 'other'],
    ['POST', '/ping', sid, {}, 404, 'unknown session'],
    ['POST', '/call', sid, { name: 'run', input: {} }, 404, 'unknown session'],
    ['POST', '/call', sid, { input: {} }, 422, 'name'],
    ['POST', '/call', sid, { name: 'run', task_id: 'x' }, 404, 'task_id'],
    ['POST', '/bench/task', sid, { split: 'train', index: 9 }, 400, 'task 9'],
  ])('%s %s of session %s with %j is %i', async (method, path, session, body, status, named) => {
    const headers: Record<string, string> = session === undefined ? {} : { 'x-session-id': session };
    const answer = await new OrsClient(server).send(method, path, body, headers);
    expect(answer.status).toBe(status);
    expect((JSON.parse(answer.text) as { detail: string }).detail).toContain(named);
  });

  test('for what is not there find nothing, and the task API answers under both names', async () => {
    const client = new OrsClient(server);
    for (const path of ['/messages', '/bench/messages']) expect((await client.send('GET', path)).status).toBe(404);
    expect((await client.send('POST', '/score_group', {})).status).toBe(404);
    expect(JSON.parse((await client.send('GET', '/list_environments')).text)).toEqual(['bench']);
    expect(JSON.parse((await client.send('GET', '/version')).text)).toMatchObject({
      version: expect.any(String) as string,
    });
    for (const prefix of ['', '/bench'])
      expect(JSON.parse((await client.send('POST', `${prefix}/tasks`, { split: 'train' })).text)).toEqual({
        tasks: [{ task: 'battleOfSexes' }],
        env_name: 'bench',
      });
  });

  test('without room are told that the server is starting', async () => {
    const small = new EnvServer(home, ['--name', 'small', '--capacity', '1', '--full-wait', '0'], {
      BENCH_ENV_TOKEN: 'secret',
    });
    await small.start();
    try {
      const token = { 'x-api-key': 'secret', 'x-secrets': 'eyJBIjoiaGlkZGVuIn0=' };
      const begin = async () => {
        const client = new OrsClient(small);
        const created = await client.send('POST', '/create_session', {}, token);
        client.sid = events(created.text)[0]!.data;
        return client.send('POST', '/create', { split: 'train', index: 0 }, token);
      };
      expect((await fetch(`${small.origin}/create_session`, { method: 'POST' })).status).toBe(401);
      expect((await begin()).status).toBe(200);
      const full = await begin();
      expect(full.status).toBe(503);
      expect(full.headers.get('x-backend-state')).toBe('starting');
      expect(Number(full.headers.get('retry-after'))).toBeGreaterThan(0);
    } finally {
      await small.stop();
    }
  });
});
