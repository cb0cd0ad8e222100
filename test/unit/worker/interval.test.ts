import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { every } from '../../../worker/interval.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('rounds never overlap, and their end is that of the one under way', async () => {
  let begun = 0;
  let end = (): void => undefined;
  const rounds = every(10, () => {
    begun += 1;
    return new Promise<void>((resolve) => (end = resolve));
  });
  await vi.advanceTimersByTimeAsync(35);
  expect(begun).toBe(1);
  end();
  await vi.advanceTimersByTimeAsync(10);
  expect(begun).toBe(2);
  let stopped = false;
  const stopping = rounds.stop().then(() => (stopped = true));
  await vi.advanceTimersByTimeAsync(50);
  expect([begun, stopped]).toEqual([2, false]);
  end();
  await stopping;
});
