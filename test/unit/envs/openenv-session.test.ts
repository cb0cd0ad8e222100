import { expect, test } from 'vitest';
import { EnvSession } from '../../../envs/openenv/session.js';
import type { Play } from '../../../envs/play.js';
import type { EpisodeRow } from '../../../domain/ports/episodes.js';

/** One episode, and what was asked of it. */
function playOf(episode: Partial<EpisodeRow>) {
  const row = { runId: 'r-1', episodeId: 'r-1', seq: 2, ended: false, session: null, ...episode } as EpisodeRow;
  const calls: string[] = [];
  const noted =
    (name: string) =>
    (...args: unknown[]) => {
      calls.push([name, ...args].join(' '));
      return Promise.resolve();
    };
  const play: Partial<Play> = {
    ofSession: () => Promise.resolve(row),
    known: () => Promise.resolve(row),
    touch: noted('touch'),
    delivered: noted('delivered'),
    adopt: (runId, session) => noted('adopt')(runId, session.split(' ')[0]),
  };
  return { play: play as Play, calls };
}

const relayed = (play: Play, key = 'a-connection-of-a-relay'): EnvSession =>
  new EnvSession(play, { key, relayed: true, task: null });

test.each([
  [null, ['touch r-1']],
  [1, ['touch r-1']],
  [2, ['touch r-1', 'delivered r-1 2']],
])('a relay that says %s was read', async (received, asked) => {
  const { play, calls } = playOf({});
  await relayed(play).present(received);
  expect(calls).toEqual(asked);
});

test('an episode of a relayed connection is resumed by its id, and is the next connection’s then', async () => {
  const { play, calls } = playOf({ session: 'relayed of-a-connection-that-was-lost' });
  await relayed(play).attach('r-1');
  expect(calls).toEqual(['adopt r-1 relayed', 'touch r-1']);
});

test('an episode of a key is not', async () => {
  const { play, calls } = playOf({ session: 'a hash' });
  await expect(relayed(play).attach('r-1')).rejects.toThrow('another session');
  expect(calls).toEqual([]);
});
