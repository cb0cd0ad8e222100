import { expect, it } from 'vitest';
import { shardWindows } from '../../../workflows/shard-windows.js';

it.each([
  [1, 4, [4]],
  [3, 8, [2, 3, 3]],
  [10, 3, [1, 1, 1]],
  [2, 2, [1, 1]],
])('%i shards with %i runs in flight get windows %j', (shards, concurrency, windows) => {
  expect(shardWindows(shards, concurrency)).toEqual(windows);
  expect(windows.reduce((a, b) => a + b)).toBe(concurrency);
});
