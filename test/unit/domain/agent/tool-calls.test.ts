import { describe, expect, it } from 'vitest';
import { guardMultiline } from '../../../../domain/agent/guard-multiline.js';
import { buildMessages, toolDefinitions } from '../../../../domain/agent/messages.js';
import { nextTurn } from '../../../../domain/agent/next-turn.js';
import { type ReplyInput, parserOf } from '../../../../domain/agent/parse-reply.js';
import { encodeReply } from '../../../../domain/agent/reply-encoding.js';
import type { StepRecord } from '../../../../domain/run/run.js';
import { agentConfig, stepRecord, taskSpec } from '../../../fakes/records.js';
import { forAll, type Generator } from './generate.js';
import type { CommandDoc } from '../../../../domain/agent/command-line.js';

const editCommand: CommandDoc = {
  name: 'edit',
  docstring: 'Replace lines.',
  signature: 'edit <start>:<end>\n<text>\nend_of_edit',
  endName: 'end_of_edit',
  arguments: ['start', 'end', 'text'].map((name) => ({ name, type: 'string', description: name, required: true })),
};
const textRun = { task: taskSpec(), agent: agentConfig({ outputParser: 'fenced' }), maxSteps: 5 };
const toolRun = { ...textRun, agent: agentConfig({ outputParser: 'tool-calls' }) };
/** The same agent with an editor. */
const withEditor = <Run extends typeof textRun>(run: Run): Run => ({
  ...run,
  agent: { ...run.agent, tools: { ...run.agent.tools, commands: [...run.agent.tools.commands, editCommand] } },
});
const call = (name: string, given: string) => ({ id: 'any', name, arguments: given });
const bash = (command: string) => call('bash', JSON.stringify({ command }));

const parse = (reply: ReplyInput) => parserOf('tool-calls')(reply, { commands: toolRun.agent.tools.commands });

describe('the tool-calls parser', () => {
  it('takes the command of bash, and the name of every other tool', () => {
    expect(parse({ text: ' I look. ', toolCalls: [bash('ls\npwd')] })).toEqual({
      kind: 'action',
      thought: 'I look.',
      action: 'ls\npwd',
    });
    expect(parse({ text: '', toolCalls: [call('validate', '{}')] })).toMatchObject({ action: 'validate' });
    expect(parse({ text: '', toolCalls: [call('submit', '')] })).toMatchObject({ action: 'submit' });
  });
  it('ignores arguments that the tool does not have', () =>
    expect(parse({ text: '', toolCalls: [call('bash', '{"command":"ls","timeout":5}')] })).toMatchObject({
      action: 'ls',
    }));
  it('makes a command line of the arguments of a special command', () => {
    const open = {
      name: 'open',
      docstring: 'Open.',
      arguments: [{ name: 'path', type: 'string', description: 'which', required: true }],
    };
    const parser = parserOf('tool-calls');
    expect(parser({ text: '', toolCalls: [call('open', '{"path":"a b"}')] }, { commands: [open] })).toMatchObject({
      action: "open 'a b'",
    });
    expect(parser({ text: '', toolCalls: [call('open', '{}')] }, { commands: [open] })).toMatchObject({
      problem: expect.stringMatching(/needs "path"/) as string,
    });
  });
  it.each<[string, ReplyInput, RegExp]>([
    ['no call', { text: '```\nls\n```' }, /called no tool/],
    ['several calls', { text: '', toolCalls: [bash('ls'), bash('pwd')] }, /2 tools/],
    [
      'an unknown tool',
      { text: '', toolCalls: [call('browser', '{}')] },
      /no tool "browser"; the tools are bash, validate, submit/,
    ],
    ['arguments that are no JSON', { text: '', toolCalls: [call('bash', '{"command": "ls')] }, /not a JSON object/],
    ['arguments that are a list', { text: '', toolCalls: [call('bash', '["ls"]')] }, /not a JSON object/],
    ['no command', { text: '', toolCalls: [call('bash', '{}')] }, /needs "command"/],
    ['a command that is no text', { text: '', toolCalls: [call('bash', '{"command":["ls"]}')] }, /needs "command"/],
    ['an empty command', { text: '', toolCalls: [call('bash', '{"command":" "}')] }, /empty/],
  ])('refuses %s', (_, reply, problem) => {
    const parsed = parse(reply);
    expect(parsed.kind === 'format_error' && parsed.problem).toMatch(problem);
  });
});

const editor = [editCommand];

/** The same thought and command as text and as a tool call. */
function equivalentReplies(generate: Generator): { text: ReplyInput; tool: ReplyInput } {
  const words = ['I look', ' at ', '`x`', '\n', '\r\n', 'a ``` b', ' ', '"', '\\', '{', 'ls -la', 'é'];
  const thought = generate.text(words, 8);
  const special = generate.pick(['validate', 'submit', 'edit', null, null]);
  const more = generate.text([...words, '```python', '````', '$(pwd)', "'"], 10);
  const body = `x${more}y`;
  const command = special === 'edit' ? `edit 1:2\n${body}\nend_of_edit` : (special ?? `run ${more}`);
  const given = special === 'edit' ? JSON.stringify({ start: 1, end: '2', text: body }) : generate.pick(['', '{}']);
  const longest = Math.max(2, ...(command.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return {
    text: { text: `${thought}\n${fence}bash\n${command}\n${fence}` },
    tool: { text: thought, toolCalls: [special === null ? bash(command) : call(special, given)] },
  };
}

describe('text and tool-calling agents', () => {
  it('come to the same thought, action and outcome from equivalent replies', () => {
    let actions = 0;
    forAll(2000, (generate) => {
      const { text, tool } = equivalentReplies(generate);
      const one = nextTurn(withEditor(textRun), [text]);
      const other = nextTurn(withEditor(toolRun), [tool]);
      expect(one.kind).toBe(other.kind);
      if (one.kind !== 'action' || other.kind !== 'action') return;
      expect([one.thought, one.action]).toEqual([other.thought, other.action]);
      actions += 1;
    });
    // The others hold a command that the blocklist refuses, in both forms.
    expect(actions).toBeGreaterThan(1500);
  });
});

describe('a tool call of a command of several lines', () => {
  const read = (given: Record<string, unknown>) =>
    parserOf('tool-calls')(
      { text: '', toolCalls: [call('edit', JSON.stringify({ start: 1, end: 2, ...given }))] },
      { commands: editor },
    );
  it('becomes the command that a text agent writes, and its text is text for bash', () =>
    forAll(1000, (generate) => {
      const text = generate.text(['x = 1', '\n', ' ', "'", '"', '$(ls)', '<text>', '[a]', '`', '<<EOF', '\t'], 12);
      const parsed = read({ text });
      const lines = text === '' ? '' : `${text.replace(/\n$/, '')}\n`;
      expect(parsed).toMatchObject({ kind: 'action', action: `edit 1:2\n${lines}end_of_edit` });
      const guarded = guardMultiline(parsed.kind === 'action' ? parsed.action : '', editor);
      expect(guarded).toEqual({ kind: 'script', script: `edit <<'end_of_edit' 1:2\n${lines}end_of_edit\n` });
    }));
  it('takes a text with and without its last line end, and no text as no line', () => {
    expect(read({ text: 'a\n' })).toEqual(read({ text: 'a' }));
    expect(read({ text: 'a\n\n' })).toMatchObject({ action: 'edit 1:2\na\n\nend_of_edit' });
    expect(read({ text: '' })).toMatchObject({ action: 'edit 1:2\nend_of_edit' });
  });
  it('keeps what is no number from becoming another command', () =>
    expect(read({ end: '2; ls', text: 'a' })).toMatchObject({ action: "edit 1:'2; ls'\na\nend_of_edit" }));
  it('is refused when its text holds the end word on a line of its own', () =>
    expect(read({ text: 'a\nend_of_edit\nrm x' })).toMatchObject({
      kind: 'format_error',
      problem: expect.stringContaining('end_of_edit') as string,
    }));
});

describe('messages of a tool-calling agent', () => {
  const step = (over: Partial<StepRecord>) => stepRecord({ observation: 'seen', ...over });
  it('are rebuilt from the record: the call, and its result under the same id', () => {
    const response = encodeReply({ text: 'I look.', toolCalls: [bash('ls')] });
    const messages = buildMessages(toolRun, [step({ step: 1, response }), step({ step: 2, response })], '/ws').slice(2);
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant', 'tool']);
    const [first, result, second] = messages;
    expect(first).toMatchObject({ content: 'I look.', toolCalls: [{ name: 'bash', arguments: '{"command":"ls"}' }] });
    expect(result).toMatchObject({ content: 'seen', toolCallId: first?.toolCalls?.[0]?.id });
    expect(second?.toolCalls?.[0]?.id).not.toBe(first?.toolCalls?.[0]?.id);
  });
  it('show a reply without a call as text', () => {
    const messages = buildMessages(toolRun, [step({ response: 'only text' })], '/ws').slice(2);
    expect(messages).toEqual([
      { role: 'assistant', content: 'only text' },
      { role: 'user', content: 'seen' },
    ]);
  });
  it('answer every call of a refused reply, in a form that providers accept', () => {
    const calls = [
      { id: '', name: 'no such\ntool!', arguments: '{"broken' },
      { id: '', name: '', arguments: '' },
    ];
    const turn = nextTurn(toolRun, [{ text: '', toolCalls: calls }]);
    expect(turn.kind).toBe('ask');
    const [assistant, ...results] = turn.kind === 'ask' ? turn.messages : [];
    const ids = assistant?.toolCalls?.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).toBe(2);
    expect(results.map(({ role, toolCallId }) => [role, toolCallId])).toEqual(ids.map((id) => ['tool', id]));
    expect(results[0]?.content).toMatch(/called 2 tools/);
    for (const sent of assistant?.toolCalls ?? []) {
      expect(sent.id).toMatch(/^[a-z0-9]{9}$/);
      expect(sent.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(JSON.parse(sent.arguments)).toBeTypeOf('object');
    }
  });
  it('never carry calls when the agent writes text', () => {
    const response = encodeReply({ text: 'text', toolCalls: [bash('ls')] });
    expect(buildMessages(textRun, [step({ response })], '/ws').slice(2)).toEqual([
      { role: 'assistant', content: 'text' },
      { role: 'user', content: 'seen' },
    ]);
  });
});

describe('toolDefinitions', () => {
  it('offers bash and the special commands, and nothing to agents that write text', () => {
    expect(toolDefinitions(toolRun, '/ws')?.map(({ name }) => name)).toEqual(['bash', 'validate', 'submit']);
    expect(toolDefinitions(textRun, '/ws')).toBeUndefined();
  });
});
