import { describe, expect, test } from 'vitest';
import { withoutPrefixes } from '../../../envs/prefixes.js';

const taken = (url: string, headers: Record<string, string> = {}) => {
  const request = { url, headers };
  return { url: withoutPrefixes(request), headers };
};

describe('prefixes of a path', () => {
  test.each([
    ['/ws', '/ws', {}],
    ['/envs/a%20b/ws', '/ws', { 'x-bench-task': 'a b' }],
    [
      '/s/key/t/token/envs/game/reset?x=1',
      '/reset?x=1',
      {
        ...{ 'x-bench-session': 'key', 'x-bench-task': 'game', authorization: 'Bearer token' },
      },
    ],
    ['/envs/game/s/key', '/', { 'x-bench-task': 'game', 'x-bench-session': 'key' }],
    ['/t/token?session_id=1', '/?session_id=1', { authorization: 'Bearer token' }],
    ['/envs/%E0/ws', '/ws', { 'x-bench-task': '%E0' }],
    ['/bench/tasks', '/bench/tasks', {}],
    ['/s/', '/s/', {}],
    ['/v1/episodes/t/x', '/v1/episodes/t/x', {}],
  ])('of %s leave %s', (url, left, headers) => {
    expect(taken(url)).toEqual({ url: left, headers });
  });

  test('stand above headers that say otherwise', () => {
    expect(taken('/t/right/metadata', { 'x-api-key': 'wrong', authorization: 'Bearer wrong' }).headers).toEqual({
      authorization: 'Bearer right',
    });
  });
});
