import { describe, expect, it } from 'vitest';
import { BenchError } from '../../../domain/errors.js';
import { waitingForRoom } from '../../../envs/room.js';

/** A server with room for so many, whose ends are told. */
function serverOf(capacity: number) {
  let [open, heard] = [0, new Set<() => void>()];
  const begun: string[] = [];
  const progress = {
    next() {
      let wake: () => void = () => undefined;
      const news = new Promise<void>((resolve) => (wake = resolve));
      heard.add(wake);
      const late = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
      return { within: (ms: number) => Promise.race([news, late(ms)]), cancel: () => void heard.delete(wake) };
    },
    close: () => Promise.resolve(),
  };
  return {
    progress,
    begun,
    begin: (name: string) => async () => {
      await Promise.resolve();
      if (open >= capacity) throw new BenchError('conflict', 'full', { code: 'episodes.at_capacity' });
      open++;
      begun.push(name);
      return name;
    },
    end() {
      open--;
      const all = heard;
      heard = new Set();
      for (const wake of all) wake();
    },
  };
}
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('a full server', () => {
  it('lets in who waits, in order, as episodes end', async () => {
    const server = serverOf(1);
    const wait = waitingForRoom(server.progress, 60);
    const all = ['a', 'b', 'c'].map((name) => wait(server.begin(name)));
    await settled();
    expect(server.begun).toEqual(['a']);
    server.end();
    await settled();
    expect(server.begun).toEqual(['a', 'b']);
    const late = wait(server.begin('d'));
    server.end();
    await settled();
    expect(server.begun).toEqual(['a', 'b', 'c']);
    server.end();
    expect(await Promise.all([...all, late])).toEqual(['a', 'b', 'c', 'd']);
  });

  it('refuses who has waited long enough, and keeps the order of the others', async () => {
    const server = serverOf(1);
    await waitingForRoom(server.progress, 0)(server.begin('a'));
    await expect(waitingForRoom(server.progress, 0)(server.begin('b'))).rejects.toMatchObject({
      code: 'episodes.at_capacity',
    });
    const wait = waitingForRoom(server.progress, 0.05);
    const refused = [wait(server.begin('c')), wait(server.begin('d'))];
    expect(await Promise.allSettled(refused)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    server.end();
    expect(await wait(server.begin('e'))).toBe('e');
  });

  it('passes other errors on at once', async () => {
    const wait = waitingForRoom(serverOf(1).progress, 60);
    await expect(wait(() => Promise.reject(new Error('no task')))).rejects.toThrow('no task');
  });
});
