import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ServerContext } from '../../../envs/context.js';
import { createEnvServer, type EnvServer } from '../../../envs/server.js';
import { newSessionId } from '../../../envs/ors/session.js';
import { deferred } from '../../../operations/deferred.js';
import { type EnvRequest, send } from '../../setup/env-request.js';

let server: EnvServer;
/** How often the server has gone to the record. */
let reached = 0;

function serverWith(token: string | null): EnvServer {
  const away = (): Promise<never> => {
    reached += 1;
    return Promise.reject(new Error('the record was asked'));
  };
  const store = deferred<Record<string, typeof away>>(away, {});
  const bench = {
    ...{ episodes: store, rollouts: store, queries: store, pages: store, store, keys: store },
    temporal: away,
    settings: { env: {} },
  };
  const env = {
    ...{ batchId: 'b-1', options: { reward: {}, capacity: 1 }, harnessVersion: '1', beginning: new Set() },
    ...{ tasks: ['game'], splits: ['train'], split: () => ['game'], template: away },
  };
  const progress = { next: () => ({ within: () => Promise.resolve(), cancel: () => undefined }) };
  return createEnvServer({
    ...{ bench, env, progress, token, graceSeconds: 1, fullWaitSeconds: 0 },
  } as unknown as ServerContext);
}
beforeEach(() => {
  reached = 0;
  server = serverWith('secret');
});
afterEach(() => server.close());

const sent = (options: EnvRequest) =>
  send(server.app, { ...options, headers: { 'x-api-key': 'secret', ...options.headers } });
const post = (url: string, payload: object | string): EnvRequest => ({ method: 'POST', url, payload });
const NUL = 'a\0b';
const HALF = 'a\ud800b';

describe.each([
  ['a NUL', NUL],
  ['half of a surrogate pair', HALF],
])('%s', (_what, bad) => {
  const model = { base_url: 'https://h/v1', model: 'm' };
  test.each<[string, EnvRequest]>([
    ['the id of a reset', post('/v1/episodes', { task: 'game', episode_id: bad })],
    ['a task', post('/v1/episodes', { task: bad })],
    ['a label', post('/v1/episodes', { task: 'game', labels: { a: bad } })],
    ['the name of a label', post('/v1/episodes', { task: 'game', labels: { [bad]: 1 } })],
    ['a group', post('/v1/episodes', { task: 'game', group: bad })],
    ['the id of a fork', post('/v1/episodes/e/fork', { at_step: 1, fork_id: bad })],
    ['an id in a list of steps', post('/v1/steps', [{ episode_id: bad, action: 'ls' }])],
    ['the id of a rollout', post('/v1/rollouts', { task: 'game', model, rollout_id: bad })],
    ['the label of a rollout', post('/v1/rollouts', { task: 'game', model, labels: { a: bad } })],
    ['ids to acknowledge', post('/v1/rollouts/ack', { ids: [bad] })],
    ['an OpenEnv reset', post('/reset', { episode_id: bad })],
    ['an OpenEnv step', post('/step', { episode_id: bad, action: { command: 'ls' } })],
    ['a row of NeMo Gym', post('/nemo/reset', { responses_create_params: {}, task: 'game', group: bad })],
    [
      'a session of ORS',
      {
        ...post('/create', { task_spec: { group: bad } }),
        headers: { 'x-session-id': newSessionId() },
      },
    ],
    ['a split', post('/tasks', { split: bad })],
    ['a task of Harbor', post('/harbor_env/task', { split: bad, index: 0 })],
  ])('in %s is refused before the record is asked', async (_where, options) => {
    const answer = await sent(options);
    expect([answer.status, await answer.text(), reached]).toEqual([422, expect.stringMatching(/NUL/), 0]);
  });

  test('in a call of a tool is an action, as whatever a model writes', async () => {
    const answer = await sent(post('/mcp', { jsonrpc: '2.0', id: bad, method: 'tools/list' }));
    expect(await answer.text()).toContain('NUL');
    expect((await sent(post('/v1/episodes/e/step', { action: bad }))).status).toBe(500);
    expect(reached).toBe(1);
  });
});

test.each([
  ...[
    '/v1/episodes/a%00b',
    '/v1/episodes/%00/trajectory',
    '/v1/rollouts/a%00',
    '/v1/rollouts?group=a%00b',
    '/v1/metrics?per=%00',
  ],
  ...[
    '/state?episode_id=%00',
    '/envs/a%00b/state?episode_id=x',
    '/v1/rollouts?label=a=%00',
    '/state?episode_id=',
    '/state?episode_id=a&episode_id=b',
  ],
])('GET %s is refused before the record is asked', async (url) => {
  expect([(await sent({ method: 'GET', url })).status, reached]).toEqual([422, 0]);
});

test('numbers that no column takes, and documents that no stack takes, are refused', async () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  for (const options of [
    post('/reset', { episode_id: 'e', task: 'game', policy_version: 2 ** 31 }),
    post('/v1/episodes/e/step', { action: 'ls', action_seq: 2 ** 31 }),
    post('/v1/episodes/e/step', `{"action":${deep}}`),
    post('/v1/steps', `[{"episode_id":"e","action":${deep}}]`),
    post('/step', `{"episode_id":"e","action":{"command":${deep}}}`),
    post('/v1/episodes', `{"labels":{"a":${deep}}}`),
    { method: 'GET', url: '/v1/episodes/e/steps/2147483648' } as const,
  ])
    expect([options.url, (await sent(options)).status]).toEqual([options.url, 422]);
});

test('a server without a token plays no rollouts, whatever begins them', async () => {
  await server.close();
  server = serverWith(null);
  const asked = post('/v1/rollouts', { task: 'game', model: { base_url: 'https://h/v1', model: 'm' } });
  expect((await send(server.app, asked)).status).toBe(403);
  expect((await send(server.app, { url: '/v1/rollouts' })).status).toBe(403);
  expect(reached).toBe(0);
});
