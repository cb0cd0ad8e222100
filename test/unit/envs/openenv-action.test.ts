import { describe, expect, test } from 'vitest';
import { sentStep, toolAction } from '../../../envs/openenv/action.js';
import { isSessionId, newSessionId } from '../../../envs/openenv/rpc.js';

describe('the data of a step', () => {
  test.each([
    ['a command', { command: 'ls' }, { action: { command: 'ls' }, seq: null }],
    ['a number beside it', { command: 'ls', action_seq: 2 }, { action: { command: 'ls' }, seq: 2 }],
    ['a number in metadata', { command: 'ls', metadata: { action_seq: 3 } }, { action: { command: 'ls' }, seq: 3 }],
    ['an empty metadata', { command: 'ls', metadata: {} }, { action: { command: 'ls' }, seq: null }],
    [
      'no number, which a model wrote',
      { command: 'ls', action_seq: 'x' },
      { action: { command: 'ls', action_seq: 'x' }, seq: null },
    ],
    [
      'a number that none has',
      { command: 'ls', action_seq: 0 },
      { action: { command: 'ls', action_seq: 0 }, seq: null },
    ],
    ['something else', { cmd: 1 }, { action: { cmd: 1 }, seq: null }],
  ])('may be %s', (_what, data, read) => {
    expect(sentStep(data)).toEqual({ ...read, policyVersion: null, tool: null });
  });

  test('says which policy acts', () => {
    expect(sentStep({ command: 'ls', metadata: { policy_version: 4 } })).toMatchObject({ policyVersion: 4 });
    expect(sentStep({ command: 'ls', metadata: { policy_version: -1 } })).toMatchObject({ policyVersion: null });
  });

  test('may call a tool', () => {
    const call = { type: 'call_tool', tool_name: 'run', arguments: { command: 'ls' }, action_seq: 1 };
    expect(sentStep(call)).toEqual({ action: { command: 'ls' }, seq: 1, policyVersion: null, tool: 'run' });
  });
});

test('a tool that is none, or lacks its command, is a malformed action', () => {
  expect(toolAction('validate', {})).toEqual({ command: 'validate' });
  expect(toolAction('run', { command: 1 })).toEqual({ tool: 'run', arguments: { command: 1 } });
  expect(toolAction('reset', null)).toEqual({ tool: 'reset', arguments: null });
});

test('an id of a session says whether it was given by us', () => {
  const id = newSessionId();
  expect(newSessionId()).not.toBe(id);
  expect(isSessionId(id)).toBe(true);
  expect(isSessionId(`${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`)).toBe(false);
  expect(isSessionId(7)).toBe(false);
});
