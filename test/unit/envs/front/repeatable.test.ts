import { expect, test } from 'vitest';
import { receivedSeq } from '../../../../envs/front/received.js';
import { isRepeatable } from '../../../../envs/front/repeatable.js';

test.each<[string, string, unknown, boolean]>([
  ['GET', '/v1/episodes/e', null, true],
  ['DELETE', '/v1/episodes/e', null, true],
  ['POST', '/v1/episodes', {}, false],
  ['POST', '/v1/episodes', { episode_id: 'e' }, true],
  ['POST', '/v1/episodes/e/step', { action: 'ls' }, false],
  ['POST', '/t/x/v1/episodes/e/step?a=b', { action: 'ls', action_seq: 2 }, true],
  ['POST', '/v1/steps', [{ action_seq: 1 }, { action_seq: 2 }], true],
  ['POST', '/v1/steps', [], false],
  ['POST', '/v1/episodes/e/fork', { at_step: 1 }, false],
  ['POST', '/v1/episodes/e/fork', { at_step: 1, fork_id: 'f' }, true],
  ['POST', '/call', { name: 'run' }, false],
  ['POST', '/bench/call', { name: 'run', task_id: 't' }, true],
  ['POST', '/call', { name: 'run', task_id: null }, false],
  ['POST', '/bench/tasks', { split: 'train' }, true],
  ['POST', '/ping', null, true],
  ['POST', '/mcp', { method: 'tools/call' }, false],
])('%s %s %j may be repeated: %s', (method, url, body, may) => {
  expect(isRepeatable(method, url, Buffer.from(JSON.stringify(body)))).toBe(may);
});

test.each([
  ['{', null],
  ['{"data":{"metadata":{"action_seq":3}}}', 3],
  ['{"data":{"metadata":{"action_seq":0}}}', null],
  ['{"data":{"metadata":{"action_seq":3,"status":"running"}}}', null],
  ['{"data":{"result":{"metadata":{"action_seq":4}}}}', 4],
  ['{"data":{"observation":{"message":"\\"metadata\\":{\\"action_seq\\":9}"}}}', null],
])('of %s the client has received action %s', (reply, seq) => {
  expect(receivedSeq(reply)).toBe(seq);
});
