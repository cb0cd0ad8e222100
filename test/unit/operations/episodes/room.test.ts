import { expect, test } from 'vitest';
import { withRoomFor } from '../../../../operations/episodes/room.js';

/** A server of so many places, of which some are taken. */
function roomOf(capacity: number, open: number) {
  const rows = new Set(Array.from({ length: open }, (_, nth) => `open-${nth}`));
  const counted = (except: readonly string[] = []) => [...rows].filter((id) => !except.includes(id)).length;
  const episodes = { open: (_: string, except?: readonly string[]) => Promise.resolve(counted(except)) };
  const room = { batchId: 'b-1', beginning: new Set<string>(), options: { capacity } };
  const begin = (...ids: string[]) =>
    withRoomFor({ episodes }, room, ids, async () => {
      for (const id of ids) {
        await Promise.resolve();
        rows.add(id);
      }
      return ids.length;
    });
  return { rows, begin };
}

test('several begin where there is room for all of them, and none where there is for some', async () => {
  const { rows, begin } = roomOf(4, 2);
  await expect(begin('a', 'b', 'c')).rejects.toMatchObject({
    code: 'episodes.at_capacity',
    message: 'no room for 3 episodes: 2 of 4 are open',
  });
  expect(rows.size).toBe(2);
  expect(await begin('a', 'b')).toBe(2);
});

test('more than there can ever be are refused as a mistake, with how many there can be', async () => {
  const { begin } = roomOf(2, 0);
  await expect(begin('a', 'b', 'c')).rejects.toMatchObject({
    type: 'usage',
    message: '3 episodes at once: the server has room for 2',
    remedy: expect.stringContaining('at most 2') as string,
  });
});

test('what begins at the same moment counts, whether it is written or not', async () => {
  const { rows, begin } = roomOf(4, 1);
  const ends = await Promise.allSettled([begin('a', 'b'), begin('c', 'd'), begin('e')]);
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  expect(await begin('e')).toBe(1);
  expect(rows.size).toBe(4);
  await expect(begin('f')).rejects.toThrow('the server is at capacity: 4 of 4 episodes are open');
});

test('what needs no place begins in a full server', async () => {
  const { begin } = roomOf(1, 1);
  expect(await begin()).toBe(0);
});
