import { Hono } from 'hono';
import { expect, test, vi } from 'vitest';
import type { ServerContext } from '../../../envs/context.js';
import { type Play, playing } from '../../../envs/play.js';
import type { ServerEnv } from '../../../envs/request.js';
import { forkRoutes } from '../../../envs/rest/fork.js';
import { send } from '../../setup/env-request.js';

test('forks with a fork_id have ids of it, so that the same fork again is the same episodes', async () => {
  const asked: unknown[] = [];
  const play: Partial<Play> = {
    known: (id) => Promise.resolve({ episodeId: id } as Awaited<ReturnType<Play['known']>>),
    resetAll(_protocol, bodies) {
      asked.push(bodies);
      return Promise.resolve([]);
    },
  };
  const app = new Hono<ServerEnv>();
  forkRoutes(app, { env: {} } as ServerContext, play as Play);
  const fork = (body: object) => send(app, { method: 'POST', url: '/v1/episodes/e/fork', payload: body });
  await fork({ at_step: 3, count: 2, fork_id: 'mine', group: 'g' });
  await fork({ at_step: 3 });
  const each = { at_step: 3, fork_of: 'e' };
  expect(asked).toEqual([
    [
      { ...each, group: 'g', episode_id: 'mine-0' },
      { ...each, group: 'g', episode_id: 'mine-1' },
    ],
    [each],
  ]);
});

/** A server in which the second of two forks cannot be written. */
function failing() {
  const task = { id: 't', baseline: { value: 0, standardError: 0 } };
  const run = { runId: 'r-origin', task, attempt: 1, seed: 1, maxSteps: 5, model: 'external' };
  const rows = new Map<string, unknown>([['e', { runId: 'r-origin' }]]);
  const cancelled: string[] = [];
  const episodes = {
    find: (id: string) => Promise.resolve(rows.get(id) ?? null),
    open: () => Promise.resolve(0),
    create({ run: { runId }, episodeId }: { run: { runId: string }; episodeId: string }) {
      if (rows.size > 1) return Promise.reject(new Error('no room on the disk'));
      const row = { runId, episodeId, ended: false };
      rows.set(runId, row).set(episodeId, row);
      return Promise.resolve({ row, known: false });
    },
  };
  const workflow = {
    getHandle: (id: string) => ({ cancel: () => Promise.resolve(void cancelled.push(id)) }),
  };
  const stores = { episodes, store: { definition: () => Promise.resolve(run) } };
  const bench = {
    settings: {},
    ...stores,
    database: () => Promise.resolve(stores),
    temporal: () => Promise.resolve({ workflow }),
  };
  const options = { capacity: 8, idleSeconds: 60, reward: {} };
  const env = { batchId: 'b-1', options, beginning: new Set(), template: () => Promise.resolve(run) };
  const progress = { next: () => ({ within: () => Promise.resolve(), cancel: () => undefined }) };
  const context = { bench, env, progress, fullWaitSeconds: 0 } as unknown as ServerContext;
  return { play: playing(context), rows, cancelled };
}

test('a fork that fails leaves no episode that nobody knows', async () => {
  const { play, rows, cancelled } = failing();
  const body = { fork_of: 'e', at_step: 1 };
  await expect(play.resetAll('rest', [body, body])).rejects.toThrow();
  const [, begun] = [...rows.keys()];
  await vi.waitFor(() => expect(cancelled).toEqual([expect.stringContaining(begun!)]));
});

test('one whose ids its client has named leaves them, to be continued', async () => {
  const { play, rows, cancelled } = failing();
  const body = { fork_of: 'e', at_step: 1 };
  await expect(
    play.resetAll('rest', [
      { ...body, episode_id: 'f-0' },
      { ...body, episode_id: 'f-1' },
    ]),
  ).rejects.toThrow();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect([...rows.keys()]).toContain('f-0');
  expect(cancelled).toEqual([]);
});
