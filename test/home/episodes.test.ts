import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killService } from '../chaos/kill-service.js';
import { BenchHome } from '../setup/bench-home.js';
import { EnvServer } from '../setup/env-server.js';
import { LONG } from '../setup/long.js';

let home: BenchHome;
let server: EnvServer;
let batchId = '';
beforeAll(async () => {
  home = new BenchHome();
  server = new EnvServer(home, ['--max-steps', '8']);
  ({ batchId } = await server.start());
});
afterAll(async () => {
  await server.stop();
  await home.remove();
});

interface Begun {
  episode_id: string;
  observation: { message: string };
  info: Record<string, unknown>;
}
interface Step {
  observation: { message: string };
  reward: number | null;
  terminated: boolean;
  truncated: boolean;
  info: Record<string, unknown> & { evaluation: { primary: number; kind: string } | null };
  status?: 'running';
}

const reset = async (body: Record<string, unknown> = {}): Promise<Begun> => {
  const answer = await server.ask<Begun>('POST', '/v1/episodes', { task: 'battleOfSexes', ...body });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
};
/** Until the outcome is there, however often the server says that the action still runs. */
async function step(id: string, action: unknown, seq?: number): Promise<Step> {
  const body = { action, ...(seq !== undefined && { action_seq: seq }) };
  let { status, body: answer } = await server.ask<Step>('POST', `/v1/episodes/${id}/step`, body);
  while (status === 202) {
    const at = (answer as unknown as { action_seq: number }).action_seq;
    ({ status, body: answer } = await server.ask<Step>('GET', `/v1/episodes/${id}/steps/${at}?wait_s=20`));
  }
  expect({ status, answer }).toMatchObject({ status: 200 });
  return answer;
}
const always = (move: number) => `printf 'def row_strategy(history):\\n    return ${move}\\n' > strategy.py`;
const ended = async (id: string) =>
  (await server.ask<{ ended: boolean; end_reason: string | null }>('GET', `/v1/episodes/${id}`)).body;

describe('episodes over REST', () => {
  test('are runs: their actions are steps, and rewards come from evaluations', async () => {
    const begun = await reset({ seed: 7, labels: { arm: 'a' } });
    expect(begun.observation.message).toContain('Write the row player');
    expect(begun.info).toMatchObject({ task: 'battleOfSexes', seed: 7, action_seq: 0, remaining_steps: 8 });
    const { episode_id: id } = begun;
    const listed = await step(id, 'ls');
    expect(listed.observation.message).toContain('strategy.py');
    expect(listed).toMatchObject({
      reward: null,
      terminated: false,
      truncated: false,
      info: { exit_code: 0, action_seq: 1 },
    });
    await step(id, { command: always(0) });
    const validated = await step(id, { command: 'validate' });
    const evaluation = validated.info.evaluation!;
    expect(evaluation).toMatchObject({ kind: 'validate', valid: true });
    const last = await step(id, { reply: 'I am done.\n```\nsubmit\n```' });
    expect(last).toMatchObject({ terminated: true, truncated: false, info: { exit_status: 'submitted' } });
    // Differences sum to the last submission's gain, in units of baseline to target.
    const [{ baseline, target }] = (await home.sql<{ baseline: number; target: number }>(
      `select b.value as baseline, target_of(v.spec) as target
       from runs r join task_versions v on v.content_hash = r.task_hash join baselines b on b.content_hash = r.task_hash
       where r.run_id = $1`,
      [id],
    )) as [{ baseline: number; target: number }];
    const gain = (last.info.evaluation!.primary - baseline) / Math.abs(target - baseline);
    expect(validated.reward! + last.reward!).toBeCloseTo(gain, 9);
    expect(await home.json('show', id)).toMatchObject({ model: 'external', steps: 4, endReason: 'submit', seed: 7 });
    expect(await server.ask('POST', `/v1/episodes/${id}/step`, { action: 'ls' })).toMatchObject({
      ...{ status: 409, body: { error: { code: 'episode.ended' } } },
    });
  });

  test('answer a malformed action with what is wrong, execute nothing, and end after three in a row', async () => {
    const { episode_id: id } = await reset();
    const first = await step(id, { reply: 'no command here' });
    expect(first.info).toMatchObject({ format_error: true, exit_code: null, action_seq: 1 });
    expect(first.observation.message).toContain('Nothing was executed');
    expect((await step(id, 'echo fine')).info).toMatchObject({ format_error: false, action_seq: 2 });
    for (const action of [{ tool: 'x' }, { command: '   ' }])
      expect((await step(id, action)).info.format_error).toBe(true);
    expect(await step(id, 17)).toMatchObject({ truncated: true, terminated: false, info: { format_error: true } });
    expect(await ended(id)).toMatchObject({ ended: true, end_reason: 'format' });
  });

  test('take an action once, however often it is sent, and refuse one that does not follow', async () => {
    const { episode_id: id } = await reset();
    const sent = await Promise.all(Array.from({ length: 5 }, () => step(id, 'echo x >> marks; wc -l < marks', 1)));
    expect(new Set(sent.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(sent[0]!.info['output']).toBe('1\n');
    const refused = await server.ask('POST', `/v1/episodes/${id}/step`, { action: 'ls', action_seq: 1 });
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'episode.action_conflict' } } });
    const gap = await server.ask('POST', `/v1/episodes/${id}/step`, { action: 'ls', action_seq: 4 });
    expect(gap).toMatchObject({
      status: 409,
      body: { error: { code: 'episode.out_of_order', remedy: expect.stringContaining('2') as string } },
    });
    await server.ask('DELETE', `/v1/episodes/${id}`);
  });

  test('outlive the server and the worker: no action is lost, none is executed twice', async () => {
    const { episode_id: id } = await reset();
    const before = step(id, 'echo one >> marks; sleep 4; cat marks', 1);
    await step((await reset()).episode_id, 'true');
    const killed = server.kill();
    killService(home, 'worker');
    await killed;
    await server.start();
    expect((await before).info['output']).toBe('one\n');
    const second = step(id, 'echo two >> marks; cat marks', 2);
    killService(home, 'postgres');
    await home.json('up');
    expect((await second).info['output']).toBe('one\ntwo\n');
    await server.ask('DELETE', `/v1/episodes/${id}`);
  });

  test.runIf(LONG)('outlive the server unnoticed: a connection of before gets the answer', async () => {
    const { episode_id: id } = await reset();
    await step(id, 'true', 1);
    const asked = fetch(`${server.url}/v1/episodes/${id}/step`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'echo one >> marks; sleep 2; cat marks', action_seq: 2 }),
    });
    await expect
      .poll(() => server.ask('GET', `/v1/episodes/${id}`), { timeout: 60_000 })
      .toMatchObject({ body: { action_seq: 2 } });
    expect(server.killServer()).toBe(true);
    const response = await asked;
    expect(response.status).toBe(200);
    expect(((await response.json()) as Step).info['output']).toBe('one\n');
    await server.ask('DELETE', `/v1/episodes/${id}`);
  });

  test.runIf(LONG)('branch at any step, with the files of then', async () => {
    const { episode_id: id } = await reset();
    await step(id, 'echo one > marks');
    await step(id, 'echo two > marks');
    const forked = await server.ask<{ episodes: Begun[] }>('POST', `/v1/episodes/${id}/fork`, { at_step: 1, count: 2 });
    expect(forked.status).toBe(201);
    const shown = await Promise.all(forked.body.episodes.map((fork) => step(fork.episode_id, 'cat marks')));
    expect(shown.map(({ info }) => info['output'])).toEqual(['one\n', 'one\n']);
    expect(shown[0]!.info).toMatchObject({ current_step: 2, remaining_steps: 6 });
    // Nobody asked what came of the last action: the next one is taken all the same.
    const [fork] = forked.body.episodes;
    await server.ask('POST', `/v1/episodes/${fork!.episode_id}/step`, { action: 'sleep 1', wait_s: 0 });
    await expect
      .poll(() => server.ask('POST', `/v1/episodes/${fork!.episode_id}/step`, { action: 'cat marks', action_seq: 3 }), {
        timeout: 60_000,
      })
      .toMatchObject({ status: 200, body: { info: { output: 'one\n' } } });
    expect((await step(id, 'cat marks')).info['output']).toBe('two\n');
    for (const { episode_id: one } of forked.body.episodes) await server.ask('DELETE', `/v1/episodes/${one}`);
  });

  test.runIf(LONG)(
    'branch once, however often a fork with its id is sent, and as many as the server holds at most',
    async () => {
      const { episode_id: id } = await reset();
      await step(id, 'true');
      const fork = (body: object) => server.ask<{ episodes: Begun[] }>('POST', `/v1/episodes/${id}/fork`, body);
      const asked = { at_step: 1, count: 2, fork_id: `of-${id}` };
      const begun = await Promise.all([fork(asked), fork(asked)]);
      const ids = begun.map(({ body }) => body.episodes.map(({ episode_id: one }) => one));
      expect(ids).toEqual([
        [`of-${id}-0`, `of-${id}-1`],
        [`of-${id}-0`, `of-${id}-1`],
      ]);
      expect((await fork({ at_step: 1, count: 65 })).body).toMatchObject({
        error: { type: 'usage', message: expect.stringContaining('65') as string },
      });
      expect((await fork({ at_step: 9, count: 2 })).body).toMatchObject({ error: { code: 'run.not_forkable' } });
      for (const one of [id, ...ids[0]!]) await server.ask('DELETE', `/v1/episodes/${one}`);
    },
  );

  test('end at their deadline with what lies there, and are given up when nobody asks any more', async () => {
    // Time for the first steps on a machine at load 40.
    const late = await reset({ deadline_s: 15, reward: { mode: 'best', scale: 2 } });
    await step(late.episode_id, always(1));
    const left = await reset({ idle_s: 5 });
    await step(left.episode_id, 'true');
    const outcome = await step(late.episode_id, 'sleep 60');
    expect(outcome).toMatchObject({
      truncated: true,
      info: { timed_out: true, exit_status: 'autosubmission (wall_time)' },
    });
    expect(outcome.reward).not.toBeNull();
    await expect
      .poll(() => ended(left.episode_id), { timeout: 60_000 })
      .toMatchObject({ ended: true, end_reason: 'cancelled' });
  });

  // Without it, the test before ends episodes at their deadline.
  test.runIf(LONG)(
    'tell an end by deadline that passed between two actions to the next one, with its reward, and to no other',
    async () => {
      const [late, others] = await Promise.all([
        reset({ deadline_s: 15, reward: { mode: 'best', scale: 2 } }),
        reset(),
      ]);
      await step(late.episode_id, always(1), 1);
      await expect.poll(() => ended(late.episode_id), { timeout: 60_000 }).toMatchObject({ end_reason: 'deadline' });
      const outcome = await step(late.episode_id, 'ls', 2);
      expect(outcome).toMatchObject({ truncated: true, info: { action_seq: 2, status: 'ok' } });
      expect(outcome.reward).toBe(2 * (outcome.info.evaluation as unknown as { gain: number }).gain);
      expect(await step(late.episode_id, 'ls', 2)).toEqual(outcome);
      const response = await fetch(`${server.url}/v1/steps`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify([
          { episode_id: late.episode_id, action: 'ls', action_seq: 2 },
          { episode_id: others.episode_id, action: 'echo on', action_seq: 1 },
        ]),
      });
      const lines = (await response.text()).trim().split('\n');
      const told = lines.map((line) => JSON.parse(line) as Step & { episode_id: string });
      expect(told.find((line) => line.episode_id === late.episode_id)?.reward).toBe(outcome.reward);
      expect(told.find((line) => line.episode_id === others.episode_id)?.info['output']).toBe('on\n');
      expect(await server.ask('POST', `/v1/episodes/${late.episode_id}/step`, { action: 'ls' })).toMatchObject({
        ...{ status: 409, body: { error: { code: 'episode.ended' } } },
      });
    },
  );

  test.runIf(LONG)('come as a batch of steps, each outcome as soon as it is there', async () => {
    const [slow, fast] = await Promise.all([reset(), reset()]);
    const response = await fetch(`${server.url}/v1/steps`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([
        { episode_id: slow.episode_id, action: 'sleep 3; echo slow' },
        { episode_id: fast.episode_id, action: 'echo fast' },
        { episode_id: 'none', action: 'ls' },
      ]),
    });
    const lines = (await response.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map((line) => line['episode_id'])).toEqual(['none', fast.episode_id, slow.episode_id]);
    expect(lines[0]).toMatchObject({ error: { code: 'episode.not_found' } });
  });

  test('rank nowhere but in their own batch', async () => {
    const rows = async (...args: string[]) =>
      (await home.json<{ rows: { model: string }[] }>('leaderboard', ...args, '--include', 'local')).rows;
    expect(await rows()).toEqual([]);
    expect((await rows('--batch', batchId)).map(({ model }) => model)).toEqual(['external']);
  });
});

describe('bad requests over REST', () => {
  test.each([
    ['an unknown key', { tsk: 'x' }, 422, 'tsk'],
    ['an unknown task', { task: 'nope' }, 404, 'nope'],
    ['a negative seed', { task: 'battleOfSexes', seed: -1 }, 422, 'seed'],
    ['a fork without its step', { fork_of: 'r-1' }, 422, 'at_step'],
    ['a fork of nothing', { fork_of: 'r-1', at_step: 1 }, 404, 'r-1'],
    ['a reward that is none', { task: 'battleOfSexes', reward: { mode: 'best', tiers: [] } }, 422, 'tiers'],
    ['two ways to name the task', { task: 'battleOfSexes', split: 'train', index: 0 }, 422, 'exclude'],
    ['an index beyond the split', { split: 'train', index: 1 }, 422, 'index 1'],
  ])('%s is named', async (_what, body, status, named) => {
    const answer = await server.ask<{ error: { message: string; remedy: string | null } }>(
      'POST',
      '/v1/episodes',
      body,
    );
    expect(answer.status).toBe(status);
    expect(answer.body.error.message + String(answer.body.error.remedy)).toContain(named);
  });

  test('a body that is no JSON, and a route that is none, leave the server going', async () => {
    const response = await fetch(`${server.url}/v1/episodes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{',
    });
    expect(response.status).toBe(400);
    expect((await server.ask('GET', '/v2')).status).toBe(404);
    expect((await server.ask('GET', '/health')).body).toEqual({ status: 'healthy' });
  });

  test('a missing token is refused, a wrong one too, and no server listens to others without one', async () => {
    const status = async (headers: Record<string, string>) => {
      const body = JSON.stringify({ task: 'none' });
      const init = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } };
      return (await fetch(`${server.origin}/v1/episodes`, init)).status;
    };
    const [, token = ''] = /\/t\/([\w-]{32})$/.exec(server.url) ?? [];
    expect(await status({})).toBe(401);
    expect(await status({ authorization: 'Bearer nope' })).toBe(401);
    expect(await status({ authorization: `Bearer ${token}` })).toBe(404);
    expect(await status({ 'x-api-key': token })).toBe(404);
    expect((await fetch(`${server.origin}/health`)).status).toBe(200);
    const path = join(home.dir, 'env', 'token');
    expect([readFileSync(path, 'utf8').trim(), statSync(path).mode & 0o777]).toEqual([token, 0o600]);
    const open = await home.run('env', 'serve', '--host', '0.0.0.0', '--no-token');
    expect(open).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--no-token') as string });
    expect(open.stderr.match(/error:/g)).toHaveLength(1);
    const commands = await home.run('env', 'serve', '--backend', 'local', '--allow-local', '--no-token');
    expect(commands).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('run commands as you') as string });
    const unknown = await home.run('env', 'serve', '--tasks', 'nope', '--port', '0');
    expect(unknown).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('nope') as string });
    expect(unknown.stderr.match(/error:/g)).toHaveLength(1);
    const local = await home.run('env', 'serve', '--backend', 'local');
    expect(local).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('isolates nothing') as string });
  });
});
