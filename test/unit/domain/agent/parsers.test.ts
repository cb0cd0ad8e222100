import { describe, expect, it } from 'vitest';
import { commandDocs, DEFAULT_COMMANDS } from '../../../../domain/agent/commands.js';
import { callsTools, OUTPUT_PARSERS, type OutputParserName, parserOf } from '../../../../domain/agent/parse-reply.js';
import { forAll } from './generate.js';
import type { CommandDoc } from '../../../../domain/agent/command-line.js';

const f = '```';
const commands: CommandDoc[] = [
  ...DEFAULT_COMMANDS,
  {
    name: 'open',
    docstring: 'Open a file.',
    signature: 'open "<path>" [<line>]',
    arguments: [
      { name: 'path', type: 'string', description: 'which', required: true },
      { name: 'line', type: 'integer', description: 'where', required: false },
    ],
  },
  {
    name: 'edit',
    docstring: 'Replace lines.',
    signature: 'edit <start>:<end>\n<text>\nend_of_edit',
    endName: 'end_of_edit',
    arguments: [],
  },
];
const read = (name: OutputParserName, text: string) => parserOf(name)({ text }, { commands });
const accepts = (name: OutputParserName, text: string, thought: string, action: string) =>
  expect(read(name, text)).toEqual({ kind: 'action', thought, action });
const refuses = (name: OutputParserName, text: string, problem: RegExp) => {
  const parsed = read(name, text);
  expect(parsed.kind).toBe('format_error');
  expect(parsed.kind === 'format_error' && parsed.problem).toMatch(problem);
};

describe('every parser', () => {
  it.each(OUTPUT_PARSERS)('%s answers every text with an action that is not blank or a problem', (name) => {
    const pieces = [
      f,
      '\n',
      'ls',
      ' ',
      'bash',
      '<command>',
      '</command>',
      '{"thought":"t"',
      '}',
      '"',
      '\r',
      'submit',
      '`',
    ];
    forAll(400, (generate) => {
      const parsed = read(name, generate.text(pieces, 14));
      if (parsed.kind === 'action') expect(parsed.action.trim()).not.toBe('');
      else expect(parsed.problem).not.toBe('');
    });
  });
  it('says that a reply was cut off, when it could not be read', () => {
    const cut = { text: `${f}\nls`, finishReason: 'length' };
    expect(parserOf('fenced')(cut, { commands })).toMatchObject({
      problem: expect.stringMatching(/never closed; the reply was cut by the output limit: say less/) as string,
    });
    const whole = { text: `${f}\nls\n${f}\n`, finishReason: 'length' };
    expect(parserOf('fenced')(whole, { commands })).toMatchObject({ kind: 'action' });
  });
});

describe('a reply that was cut by the output limit', () => {
  const cut = (name: OutputParserName, text: string) => parserOf(name)({ text, finishReason: 'length' }, { commands });
  it.each<[string, OutputParserName, string]>([
    ['within its last block', 'thought-action', `${f}\nls\n${f}\nthen\n${f}\nrm -r da`],
    ['within the text of an editor', 'edit-format', `${f}\na\n${f}\n${f}\nb`],
    ['within its last block', 'mlgym-thought-action', `${f}\nls\n${f}\nthen\n${f}\nrm -r da`],
    ['within a command that nothing ends', 'identity', 'rm -r da'],
    ['within a command that nothing ends', 'action', 'open "da'],
    ['within its JSON', 'json', '{"thought": "t", "command": {"name": "l'],
    ['within its tags', 'xml-thought-action', '<command>rm -r da'],
  ])('%s runs nothing of it: %s', (_, name, text) =>
    expect(cut(name, text)).toMatchObject({
      kind: 'format_error',
      problem: expect.stringMatching(/cut by the output limit: say less/) as string,
    }),
  );
  it('after its command is read', () =>
    expect(cut('thought-action', `${f}\nls\n${f}\nand so`)).toMatchObject({ action: 'ls\n' }));
});

describe('a leading <think>', () => {
  const command: Partial<Record<OutputParserName, string>> = {
    'xml-thought-action': 'I look.\n<command>\nls\n</command>',
    action: 'open a.py',
    identity: 'ls',
    json: '{"thought": "I look.", "command": {"name": "ls"}}',
  };
  const texts = OUTPUT_PARSERS.filter((name) => !callsTools(name));
  it.each(texts)('%s: is thought, and no command or fence in it counts', (name) => {
    const said = command[name] ?? `I look.\n${f}\nls\n${f}\n`;
    const plain = read(name, said);
    const thought = `<think>\nfirst\n${f}\nrm -rf /\n${f}\n<command>rm -rf /</command>\n</think>`;
    expect(plain.kind).toBe('action');
    if (plain.kind === 'action')
      accepts(name, `\n${thought}\n\n${said}`, `${thought}\n\n${plain.thought}`, plain.action);
    refuses(name, thought, /./);
  });
  it.each(texts)('%s: that never ends holds no command', (name) => {
    const text = `<think>\n${command[name] ?? `I look.\n${f}\nls\n${f}\n`}`;
    refuses(name, text, /has no <\/think>/);
    expect(parserOf(name)({ text, finishReason: 'length' }, { commands })).toMatchObject({
      problem: expect.stringMatching(/cut by the output limit within its <think>.*think less/) as string,
    });
  });
  it('in the text around a tool call has nothing to do with the call', () => {
    const toolCalls = [{ id: 'a', name: 'bash', arguments: '{"command": "ls"}' }];
    expect(parserOf('tool-calls')({ text: '<think>hm', toolCalls }, { commands })).toMatchObject({ action: 'ls' });
  });
  it('later in a reply is text', () => accepts('fenced', `I <think>.\n${f}\nls\n${f}`, 'I <think>.', 'ls'));
});

describe('mlgym-thought-action', () => {
  const name = 'mlgym-thought-action';
  it('takes the one block with its line end, and what stands around it as the thought', () =>
    accepts(
      name,
      `DISCUSSION\nI look.\n${f}bash\nls -la\n${f}\nThat is all.`,
      'DISCUSSION\nI look.\nThat is all.',
      'ls -la\n',
    ));
  it('reads Windows line ends', () => accepts(name, `a\r\n${f}\r\nls\r\n${f}\r\n`, 'a\r\n', 'ls\r\n'));
  it('lets the closing fence have spaces after it', () => accepts(name, `${f}\nls\n${f}  `, '', 'ls\n'));
  it('counts blank lines after a fence to the fence, and keeps the indentation that follows', () =>
    accepts(name, `a\n${f}\n\n  ls\n${f}\n\n b`, 'a\n b', '  ls\n'));
  it('allows a single run of backticks within a line, which makes no second pair', () =>
    accepts(name, `${f}\necho '${f}'\n${f}`, '', `echo '${f}'\n`));
  it.each([
    ['two blocks', `${f}\nls\n${f}\n${f}\npwd\n${f}`, /2 pairs/],
    ['a pair within the discussion', `use ${f}x${f}\n${f}\nls\n${f}`, /2 pairs/],
    ['fences in the text of an edit', `${f}\nedit 1:1\n${f}python\nx\n${f}\nend_of_edit\n${f}`, /2 pairs/],
    ['an inline block', `${f}ls${f}`, /no closed code block/],
    ['an indented fence', `  ${f}\n  ls\n  ${f}`, /no closed code block/],
    ['a closing fence followed by text', `${f}\nls\n${f} done`, /no closed code block/],
    ['an unclosed block', `${f}\nls`, /no closed code block/],
    ['four backticks', `${f}\`\nls\n${f}\``, /no closed code block/],
    ['no block', 'I would list the files.', /no closed code block/],
    ['nothing', '', /no closed code block/],
    ['an empty block', `a\n${f}\n${f}`, /empty/],
    ['a blank block', `a\n${f}\n \n\n${f}\n`, /empty/],
  ])('refuses %s', (_, text, problem) => refuses(name, text, problem));
});

describe('thought-action', () => {
  it.each(['thought-action', 'edit-format'] as const)(
    '%s takes the last block and leaves earlier ones in the thought',
    (name) => accepts(name, `${f}\nls\n${f}\nthen\n${f}\npwd\n${f}\n`, `${f}\nls\n${f}\nthen\n`, 'pwd\n'),
  );
  it('keeps tagged blocks within the command', () =>
    accepts(
      'thought-action',
      `a\n${f}\ncat <<E\n${f}python\nx\n${f}\nE\n${f}`,
      'a\n',
      `cat <<E\n${f}python\nx\n${f}\nE\n`,
    ));
  it('refuses what is never closed, each with words of its own', () => {
    refuses('thought-action', `${f}\nls`, /with a command/);
    refuses('edit-format', `${f}\nls`, /replaces the window/);
  });
});

describe('xml-thought-action', () => {
  const name = 'xml-thought-action';
  it('takes the last command, without blanks around it', () =>
    accepts(name, ' a <command>ls</command> b <command>\npwd\n</command>\n', 'a <command>ls</command> b', 'pwd'));
  it.each([
    ['no tag', 'ls', /no <command>/],
    ['only the opening tag', '<command>ls', /never closed/],
    ['only the closing tag', 'ls</command>', /no <command>/],
    ['tags in reverse order', '</command>ls<command>', /not closed/],
    ['an empty command', '<command> </command>', /empty/],
  ])('refuses %s', (_, text, problem) => refuses(name, text, problem));
});

describe('action', () => {
  it('takes a reply that begins with a special command', () =>
    accepts('action', 'open a.py 3', 'open a.py 3', 'open a.py 3'));
  it('refuses an ordinary command, and names the special ones', () =>
    refuses('action', 'ls -la', /validate, submit, open, edit/));
});

describe('identity', () => {
  it('takes everything', () => accepts('identity', 'ls\npwd', 'ls\npwd', 'ls\npwd'));
  it('refuses nothing at all', () => refuses('identity', ' \n', /empty/));
});

describe('json', () => {
  const reply = (command: unknown) => JSON.stringify({ thought: 'I see', command });
  it.each<[string, unknown, string]>([
    [
      'fills the signature, quotes values, drops what is missing',
      { name: 'open', arguments: { path: 'my file.py' } },
      "open 'my file.py'",
    ],
    ['does not quote a value twice', { name: 'open', arguments: { path: 'a.py', line: 3 } }, 'open a.py 3'],
    ['quotes a quote', { name: 'open', arguments: { path: "it's" } }, String.raw`open 'it'\''s'`],
    [
      'does not quote in commands of several lines',
      { name: 'edit', arguments: { start: 1, end: 2, text: "x = 'a b'" } },
      "edit 1:2\nx = 'a b'\nend_of_edit",
    ],
    ['takes a known command without arguments', { name: 'submit' }, 'submit'],
    ['joins name and values of any other command', { name: 'ls', arguments: { a: '-la', b: 'src' } }, 'ls -la src'],
    ['takes values that are no texts', { name: 'head', arguments: { a: '-n', n: 3 } }, 'head -n 3'],
  ])('%s', (_, command, action) => accepts('json', reply(command), 'I see', action));
  it.each([
    ['a code block around it', `${f}json\n${reply({ name: 'ls' })}\n${f}`, /not valid JSON/],
    ['a list', '[]', /not an object/],
    ['no thought', '{"command":{"name":"ls"}}', /"thought"/],
    ['no command', '{"thought":"a"}', /"command" was/],
    ['a command that is a text', reply('ls'), /"command" was/],
    ['no name', reply({}), /command\.name/],
    ['arguments that are a list', reply({ name: 'ls', arguments: ['a'] }), /arguments/],
  ])('refuses %s', (_, text, problem) => refuses('json', text, problem));
});

describe('commandDocs', () => {
  const open = commands.filter(({ name }) => name === 'open');
  it('is a line per command when compact', () =>
    expect(commandDocs(open, 'compact')).toBe('open "<path>" [<line>] - Open a file.'));
  it('is a block per command when detailed', () =>
    expect(commandDocs(open, 'detailed').split('\n')).toEqual([
      'open:',
      '  docstring: Open a file.',
      '  signature: open "<path>" [<line>]',
      '  arguments:',
      '    - path (string) [required]: which',
      '    - line (integer) [optional]: where',
    ]));
});
