import { describe, expect, test } from 'vitest';
import { readCall } from '../../../envs/ors/tools.js';

describe('a call of a tool', () => {
  test.each([
    ['run', { command: 'ls', timeout: 3 }, { kind: 'action', action: { command: 'ls' } }],
    ['validate', {}, { kind: 'action', action: { command: 'validate' } }],
    ['submit', null, { kind: 'action', action: { command: 'submit' } }],
    ['wait', {}, { kind: 'control', command: 'wait' }],
    ['interrupt', undefined, { kind: 'control', command: 'interrupt' }],
  ])('%s is an action, or asks after one', (name, input, read) => {
    expect(readCall(name, input)).toEqual(read);
  });

  test.each([
    ['run', {}, 'input_validation'],
    ['run', { command: ['ls'] }, 'input_validation'],
    ['run', 'ls', 'input_validation'],
    ['reset', {}, 'not_found'],
    ['Run', { command: 'ls' }, 'not_found'],
    ['', {}, 'not_found'],
  ])('%s(%j) is refused as %s', (name, input, reason) => {
    expect(readCall(name, input)).toMatchObject({ kind: 'wrong', result: { ok: false, reason } });
  });
});
