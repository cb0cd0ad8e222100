import { describe, expect, it } from 'vitest';
import { seldom } from '../../../envs/metrics/seldom.js';

describe('what is computed seldom', () => {
  const clock = () => {
    let [time, calls] = [0, 0];
    const ask = seldom(
      () => {
        time += 5;
        return ++calls === 3 ? Promise.reject(new Error('gone')) : Promise.resolve(calls);
      },
      () => time,
    );
    return { ask, pass: (ms: number) => (time += ms) };
  };

  it('is as old as ten times what it takes, and no older', async () => {
    const { ask, pass } = clock();
    expect(await ask()).toBe(1);
    pass(49);
    expect(await ask()).toBe(1);
    pass(1);
    expect(await ask()).toBe(2);
  });

  it('is computed once for all who ask meanwhile, and anew after an error', async () => {
    const { ask, pass } = clock();
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1]);
    pass(50);
    await ask();
    pass(50);
    await expect(Promise.all([ask(), ask()])).rejects.toThrow('gone');
    expect(await ask()).toBe(4);
  });
});
