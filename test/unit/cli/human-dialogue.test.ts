import { describe, expect, it } from 'vitest';
import { Dialogue, type DialogueOptions, type Heard } from '../../../cli/human/dialogue.js';
import { messagesToShow } from '../../../cli/human/new-messages.js';
import type { ChatMessage } from '../../../domain/model/model.js';
import type { CommandDoc } from '../../../domain/agent/command-doc.js';

const edit: CommandDoc = { name: 'edit', docstring: 'Replace lines.', endName: 'end_of_edit', arguments: [] };
const open: CommandDoc = { name: 'open', docstring: 'Open.', arguments: [] };

interface Typed {
  /** What came of the lines, without those that only asked for more. */
  heard: Heard[];
  /** The prompt before each line. */
  prompts: string[];
}
function type(lines: readonly string[], options: Partial<DialogueOptions> = {}): Typed {
  const dialogue = new Dialogue({ thoughts: false, raw: false, commands: [edit, open], ...options });
  const prompts: string[] = [];
  const heard = lines.map((line) => {
    prompts.push(dialogue.prompt);
    return dialogue.hear(line);
  });
  return { heard: heard.filter(({ kind }) => kind !== 'more'), prompts };
}
const said = (action: string, thought = ''): Heard => ({ kind: 'said', said: { thought, action } });

describe('a person at the terminal', () => {
  it('says a command with one line', () => {
    expect(type(['ls -la'])).toEqual({ heard: [said('ls -la')], prompts: ['> '] });
  });

  it('is asked again after an empty line', () => {
    expect(type(['', '  ', 'ls'])).toEqual({ heard: [said('ls')], prompts: ['> ', '> ', '> '] });
  });

  it('says several lines between start_multiline_command and end_multiline_command', () => {
    const { heard, prompts } = type(['start_multiline_command', 'cat', '', ':help', 'end_multiline_command']);
    expect(heard).toEqual([said('cat\n\n:help')]);
    expect(prompts).toEqual(['> ', '... ', '... ', '... ', '... ']);
  });

  it('goes on with a special command until its end name, which belongs to it', () => {
    expect(type(['edit 1:2', '  x = 1', 'end_of_edit']).heard).toEqual([said('edit 1:2\n  x = 1\nend_of_edit')]);
    expect(type(['open x.py']).heard).toEqual([said('open x.py')]);
  });

  it.each([
    [["cat > a <<'EOF'", '  EOF', 'EOF'], "cat > a <<'EOF'\n  EOF\nEOF"],
    [['cat <<-"END HERE" | wc', '\tx', '\tEND HERE'], 'cat <<-"END HERE" | wc\n\tx\nEND HERE'],
    [['python3 - << EOF', 'EOF'], 'python3 - << EOF\nEOF'],
    [['ls \\', ' -l \\', ' -a'], 'ls \\\n -l \\\n -a'],
  ])('goes on after %j', (lines, action) => {
    expect(type(lines).heard).toEqual([said(action)]);
  });

  it.each(['cat <<< word', 'echo $((1<<2))', 'echo done'])('does not wait for more after %j', (line) => {
    expect(type([line]).heard).toEqual([said(line)]);
  });

  it('gives a thought first, if asked to', () => {
    const { heard, prompts } = type(['I wonder,', 'really.', 'END_THOUGHT', 'ls'], { thoughts: true });
    expect(heard).toEqual([said('ls', 'I wonder,\nreally.')]);
    expect(prompts).toEqual(['thought> ', 'thought> ', 'thought> ', '> ']);
  });

  it('sends a reply as typed between :raw and :send', () => {
    expect(type([':raw', 'no command', '', 'at all', ':send']).heard).toEqual([
      { kind: 'raw', text: 'no command\n\nat all' },
    ]);
    expect(type(['```', 'ls', '```', ':send'], { raw: true }).heard).toEqual([{ kind: 'raw', text: '```\nls\n```' }]);
  });

  it('may take back what was typed of a reply', () => {
    expect(type(['start_multiline_command', 'rm x', ':cancel', 'ls']).heard).toEqual([said('ls')]);
    expect(
      type(['A thought', 'END_THOUGHT', ':cancel', 'Another', 'END_THOUGHT', 'ls'], { thoughts: true }).heard,
    ).toEqual([said('ls', 'Another')]);
  });

  it('asks for help, the history, or to give up, only where a reply begins', () => {
    expect(type([':help', ':history', ':quit']).heard.map(({ kind }) => kind)).toEqual(['help', 'history', 'quit']);
    expect(type([':quit'], { raw: true }).heard).toEqual([{ kind: 'quit' }]);
    expect(type([': > empty.txt']).heard).toEqual([said(': > empty.txt')]);
    expect(type(['start_multiline_command', ':quit', 'end_multiline_command']).heard).toEqual([said(':quit')]);
  });

  it('says nothing by an empty block of lines', () => {
    expect(type(['start_multiline_command', 'end_multiline_command', 'ls']).heard).toEqual([said('ls')]);
  });
});

describe('what a person is shown', () => {
  const messages: ChatMessage[] = (
    [
      ['system', 's'],
      ['user', 'task'],
      ['assistant', 'a1'],
      ['user', 'o1'],
      ['assistant', 'a2'],
      ['tool', 'o2'],
      ['tool', 'not run'],
    ] as const
  ).map(([role, content]) => ({ role, content }));
  const shown = (of: readonly ChatMessage[], how: 'all' | 'returning' | 'new') => {
    const { messages: some, omitted } = messagesToShow(of, how);
    return [some.map(({ content }) => content), omitted];
  };

  it('is everything at first', () => expect(shown(messages, 'all')).toEqual([messages.map((m) => m.content), 0]));
  it('is what came after their last reply from then on', () =>
    expect(shown(messages, 'new')).toEqual([['o2', 'not run'], 0]));
  it('is the task and the latest when they come back', () =>
    expect(shown(messages, 'returning')).toEqual([['s', 'task', 'o2', 'not run'], 3]));
  it('is the whole prompt when they come back before their first reply', () =>
    expect(shown(messages.slice(0, 2), 'returning')).toEqual([['s', 'task'], 0]));
});
