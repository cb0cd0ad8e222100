import { expect, test } from 'vitest';
import type { EpisodeRow } from '../../../domain/ports/episodes.js';
import { resetRequest } from '../../../domain/requests/episode.js';
import { nemoRoutes } from '../../../envs/nemo/routes.js';
import type { Play } from '../../../envs/play.js';
import { send } from '../../setup/env-request.js';

/** Keeps what has begun, and by which session: rows outlive a server. */
function playOf() {
  const rows: EpisodeRow[] = [];
  const begun = (episode: EpisodeRow) => ({
    ...{ episode, task: 't', seed: 1, message: 'play', maxSteps: 5, validationsLeft: null },
  });
  const play: Partial<Play> = {
    ofSession: (session) => Promise.resolve(rows.find((row) => row.session === session) ?? null),
    beginning: (episode) => Promise.resolve(begun(episode)),
    reset(_protocol, body, { session = null } = {}) {
      const id = `r-${rows.length}`;
      const row = { runId: id, episodeId: id, session, seq: 0, nextStep: 1, ended: false, reset: resetRequest(body) };
      rows.push(row as EpisodeRow);
      return Promise.resolve(begun(row as EpisodeRow));
    },
  };
  return { play: play as Play, rows };
}

const SENT = { responses_create_params: { input: [] }, task: 't', seed: 7 };

test('a reset that the front sends to another server continues with the episode of the first', async () => {
  const { play, rows } = playOf();
  const reset = async (name: string): Promise<string | null> => {
    const headers = { 'x-bench-request': name };
    const answer = await send(nemoRoutes(play), { method: 'POST', url: '/nemo/reset', headers, payload: SENT });
    expect(answer.status).toBe(200);
    return answer.headers.get('set-cookie');
  };
  const cookie = await reset('a-name-of-the-front-for-a-request');
  expect(await reset('a-name-of-the-front-for-a-request')).toEqual(cookie);
  expect(rows).toHaveLength(1);
  expect(await reset('another-name-for-an-equal-request')).not.toEqual(cookie);
  expect(rows).toHaveLength(2);
});
