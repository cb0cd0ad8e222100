import { describe, expect, it } from 'vitest';
import { once } from '../../../domain/once.js';

describe('what is made once', () => {
  it('is the same for calls at the same time and later ones', async () => {
    let made = 0;
    const get = once(() => Promise.resolve(++made));
    expect(get.known()).toBeNull();
    expect(await Promise.all([get(), get()])).toEqual([1, 1]);
    expect(await get()).toBe(1);
    expect(await get.known()).toBe(1);
  });

  it('is made again after a failure, which all that waited for it get', async () => {
    let tries = 0;
    const get = once(() => (++tries === 1 ? Promise.reject(new Error('away')) : Promise.resolve(tries)));
    const waiting = [get(), get()];
    for (const one of waiting) await expect(one).rejects.toThrow('away');
    expect(get.known()).toBeNull();
    expect(await get()).toBe(2);
  });

  it('is made again once it was forgotten; an earlier failure then forgets nothing', async () => {
    let fail = (_error: Error): void => undefined;
    let made = 0;
    const get = once(() =>
      ++made === 1 ? new Promise<number>((_resolve, reject) => (fail = reject)) : Promise.resolve(made),
    );
    const first = get();
    get.forget();
    expect(await get()).toBe(2);
    fail(new Error('late'));
    await expect(first).rejects.toThrow('late');
    expect(await get()).toBe(2);
  });
});
