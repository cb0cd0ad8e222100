import { expect, test } from 'vitest';
import type { EpisodeRow } from '../../../domain/ports/episodes.js';
import type { ServerContext } from '../../../envs/context.js';
import type { Play } from '../../../envs/play.js';
import { restRoutes } from '../../../envs/rest/routes.js';
import { send } from '../../setup/env-request.js';

test('an episode lists the snapshots of its run', async () => {
  const snapshots = [{ step: 5, sha256: null, bytes: null, at: '2026-11-01T00:00:00.000Z', host: 'here' }];
  const takenFiles = (runId: string) =>
    Promise.resolve({ submissions: [], snapshots: runId === 'r-1' ? snapshots : [] });
  const bench = { pages: { takenFiles } };
  const play: Partial<Play> = { known: () => Promise.resolve({ runId: 'r-1', episodeId: 'e-1' } as EpisodeRow) };
  const app = restRoutes({ bench, env: {} } as unknown as ServerContext, play as Play);
  const answer = await send(app, { url: '/v1/episodes/e-1/snapshots' });
  expect([answer.status, await answer.json()]).toEqual([200, { episode_id: 'e-1', run_id: 'r-1', snapshots }]);
});
