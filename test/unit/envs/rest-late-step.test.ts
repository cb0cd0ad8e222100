import { expect, test } from 'vitest';
import { BenchError } from '../../../domain/errors.js';
import type { EpisodeOutcome } from '../../../domain/episodes/action-outcome.js';
import type { EndReason } from '../../../domain/run/outcomes.js';
import type { EpisodeRow, TakenBefore } from '../../../domain/ports/episodes.js';
import type { ServerContext } from '../../../envs/context.js';
import type { Play, PlayedStep } from '../../../envs/play.js';
import { restRoutes } from '../../../envs/rest/routes.js';
import { send } from '../../setup/env-request.js';

const ending = (fault: EpisodeOutcome['fault']): PlayedStep => ({
  ...{ episodeId: 'e-late', task: 't' },
  outcome: {
    ...{ seq: 1, step: 2, message: 'The episode has ended: deadline.', rewardParts: { evaluation: 0.5 }, fault },
    ...{ reward: fault === null ? 0.5 : null, terminated: false, truncated: fault === null, endReason: 'deadline' },
    ...{ exitStatus: 'autosubmission (wall_time)', formatError: false, output: null, exitCode: null, timedOut: false },
    ...{ truncatedBytes: 0, remainingSteps: 0, evaluation: null },
  },
});
const going: PlayedStep = {
  ...ending(null),
  ...{ episodeId: 'e-going', outcome: { ...ending(null).outcome, truncated: false, endReason: null, reward: null } },
};

/** Of two episodes: one ended after its first action, while nobody acted, the other goes on. */
function restServer(endReason: EndReason = 'deadline', fault: EpisodeOutcome['fault'] = null) {
  let delivered = false;
  const rows: Record<string, EpisodeRow> = {
    'e-late': { runId: 'r-late', episodeId: 'e-late', seq: 1, ended: true, endReason } as EpisodeRow,
    'e-going': { runId: 'r-going', episodeId: 'e-going', seq: 1, ended: false, endReason: null } as EpisodeRow,
  };
  const play: Partial<Play> = {
    known: (id) => Promise.resolve(rows[id]!),
    taken: () => Promise.resolve({ settled: true, delivered } as TakenBefore),
    act: ({ ended, episodeId }, { seq }) => {
      if (ended && seq !== null && seq > 2)
        return Promise.reject(new BenchError('conflict', 'the next is number 2', { code: 'episode.out_of_order' }));
      if (ended) return Promise.reject(new BenchError('conflict', `${episodeId} has ended`, { code: 'episode.ended' }));
      return Promise.resolve(2);
    },
    lateEnding: ({ ended }) => Promise.resolve(ended ? ending(fault) : null),
    delivered: () => {
      delivered = true;
      return Promise.resolve();
    },
    touch: () => Promise.resolve(),
    outcome: () => Promise.resolve(going),
  };
  return restRoutes({ env: {} } as ServerContext, play as Play);
}
const step = async (server: ReturnType<typeof restServer>, body: object) => {
  const url = '/v1/episodes/e-late/step';
  const answer = await send(server, { method: 'POST', url, payload: { action: 'ls', ...body } });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
};

test('an action after a deadline that passed between two is told that end, the same however often its number is sent', async () => {
  const server = restServer();
  const first = await step(server, { action_seq: 2 });
  expect(first.status).toBe(200);
  expect(first.body).toMatchObject({
    ...{ reward: 0.5, truncated: true, terminated: false },
    info: { action_seq: 2, exit_status: 'autosubmission (wall_time)', reward_parts: { evaluation: 0.5 } },
  });
  expect((await step(server, { action_seq: 2 })).body).toEqual(first.body);
  expect(await (await send(server, { url: '/v1/episodes/e-late/steps/2' })).json()).toEqual(first.body);
});

test('the action after it is refused, by the end and not by its number', async () => {
  const refused = await step(restServer(), { action_seq: 3 });
  expect([refused.status, refused.body]).toMatchObject([409, { error: { code: 'episode.ended' } }]);
});

test('without numbers the first action is told the end, and no other', async () => {
  const server = restServer();
  expect((await step(server, {})).body).toMatchObject({ reward: 0.5, truncated: true });
  expect((await step(server, {})).status).toBe(409);
});

test('in a list of steps it discards no other outcome', async () => {
  const answer = await send(restServer(), {
    ...{ method: 'POST', url: '/v1/steps' },
    payload: ['e-late', 'e-going'].map((id) => ({ episode_id: id, action: 'ls', action_seq: 2 })),
  });
  const lines = (await answer.text()).trim().split('\n');
  const told = lines.map((line) => JSON.parse(line) as { episode_id: string; reward: number | null });
  expect(new Map(told.map(({ episode_id: id, reward }) => [id, reward]))).toEqual(
    new Map([
      ['e-late', 0.5],
      ['e-going', null],
    ]),
  );
});

test('an end by a fault of ours is an error, one that was given up is refused', async () => {
  const failed = await step(restServer('infra_error', { reason: 'infra_error', detail: 'the disk' }), {
    action_seq: 2,
  });
  expect(failed.status).toBe(503);
  expect(failed.body).toMatchObject({ reward: null, info: { status: 'errored', fault: { detail: 'the disk' } } });
  expect(failed.headers.has('x-backend-state')).toBe(false);
  expect((await step(restServer('cancelled'), { action_seq: 2 })).status).toBe(409);
});
