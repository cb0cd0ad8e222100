import { describe, expect, it } from 'vitest';
import { readResponse } from '../../../envs/nemo/reply.js';

const message = (text: string) => ({ type: 'message', content: [{ type: 'output_text', text }] });
const call = (name: string, given: string) => ({ type: 'function_call', call_id: 'c', name, arguments: given });

describe('a response of a model as an action', () => {
  it.each([
    ['a command alone', [message('ls -l\n')], { command: 'ls -l' }],
    ['thoughts before it', [message('<think>\nwhich?\n</think>\n\nvalidate')], { command: 'validate' }],
    ['texts of several items', [message('echo '), { type: 'reasoning' }, message('a')], { command: 'echo a' }],
    ['a fenced block, which the parser reads', [message('So:\n```\nls\n```')], { reply: 'So:\n```\nls\n```' }],
    ['a call', [message('I look.'), call('run', '{"command": "ls"}')], { command: 'ls' }],
    ['a call without input', [call('submit', '')], { command: 'submit' }],
    ['a call of no tool', [call('fly', '{}')], { tool: 'fly', arguments: {} }],
    ['a call without its command', [call('run', 'ls')], { tool: 'run', arguments: 'ls' }],
    ['nothing', [], { command: '' }],
    ['what is no item', [1, null, 'x'], { command: '' }],
  ])('%s', (_, output, action) => {
    expect(readResponse(output).action).toEqual(action);
  });

  it('knows every call, so that each has an answer', () => {
    const calls = readResponse([call('run', '{"command": "a"}'), { ...call('validate', '{}'), call_id: 'd' }]).calls;
    expect(calls.map(({ call_id: id }) => id)).toEqual(['c', 'd']);
  });
});
