import { describe, expect, test } from 'vitest';
import { type Client, readClient } from '../../../envs/prefixes.js';

const NOTHING: Omit<Client, 'path'> = { task: null, session: undefined, token: '' };
const read = (path: string, headers: Record<string, string> = {}) => readClient(path, (name) => headers[name]);

describe('prefixes of a path', () => {
  test.each<[string, string, Partial<Client>]>([
    ['/ws', '/ws', {}],
    ['/envs/a%20b/ws', '/ws', { task: 'a b' }],
    ['/s/key/t/token/envs/game/reset?x=1', '/reset?x=1', { session: 'key', task: 'game', token: 'token' }],
    ['/envs/game/s/key', '/', { task: 'game', session: 'key' }],
    ['/t/token?session_id=1', '/?session_id=1', { token: 'token' }],
    ['/envs/%E0/ws', '/ws', { task: '%E0' }],
    ['/bench/tasks', '/bench/tasks', {}],
    ['/s/', '/s/', {}],
    ['/v1/episodes/t/x', '/v1/episodes/t/x', {}],
  ])('of %s leave %s', (url, path, named) => {
    expect(read(url)).toEqual({ ...NOTHING, path, ...named });
  });

  test('stand above headers that say otherwise', () => {
    const headers = {
      'x-api-key': 'wrong',
      authorization: 'Bearer wrong',
      'x-bench-task': 'b',
      'x-bench-session': 'k',
    };
    expect(read('/t/right/envs/a/metadata', headers)).toEqual({
      path: '/metadata',
      token: 'right',
      task: 'a',
      session: 'k',
    });
    expect(read('/', { authorization: 'bearer token' }).token).toBe('token');
    expect(read('/', headers).token).toBe('wrong');
  });
});
