import { describe, expect, it } from 'vitest';
import { DEFAULT_COMMANDS } from '../../../../domain/agent/commands.js';
import { encodeReplyAs } from '../../../../domain/agent/encode-reply-as.js';
import { OUTPUT_PARSERS, type OutputParserName, parserOf } from '../../../../domain/agent/parse-reply.js';
import type { CommandDoc } from '../../../../domain/agent/command-line.js';

const edit: CommandDoc = {
  name: 'edit',
  docstring: 'Replace lines.',
  signature: 'edit <start>:<end>\n<text>\nend_of_edit',
  endName: 'end_of_edit',
  arguments: ['start', 'end', 'text'].map((name) => ({ name, type: 'string', description: name, required: true })),
};
const context = { commands: [...DEFAULT_COMMANDS, edit] };

const ACTIONS = {
  'a word': 'ls',
  'quotes and blanks': `echo "it's" 'a "b"' \\"c\\" $HOME`,
  'several lines': "cat > a.py <<'EOF'\ndef f():\n\treturn 1\nEOF\npython3 a.py",
  'an indented first line': '  for i in 1 2; do\n    echo $i\n  done',
  'blank lines around it': '\n\nls -la\n\n',
  'a special command': 'validate',
  'a special command among others': 'validate && submit',
  'a command with an end line': 'edit 1:2\nx = "y"\nend_of_edit',
  'backticks within a line': 'echo `date` ``',
  'a tagged block': "cat > README.md <<'EOF'\n```python\nprint(1)\n```\nEOF",
  'bare fences': "cat > README.md <<'EOF'\n```\nprint(1)\n```\nEOF",
  'a longer fence': 'cat <<EOF\n````\n```\n````\nEOF',
  'an end tag': "echo '</command>' '<command/>'",
  'an opening tag': "echo '<command>'",
  JSON: `echo '{"command": {"name": "ls"}}'`,
  'a backslash at the end': 'echo a\\',
  Unicode: 'echo "naïve 日本 🎲 \u2028"',
} as const;
type ActionName = keyof typeof ACTIONS;

/** What a format cannot say, all of it. */
const CANNOT: Partial<Record<OutputParserName, readonly ActionName[]>> = {
  'mlgym-thought-action': ['a tagged block', 'bare fences', 'a longer fence', 'a backslash at the end'],
  'thought-action': ['bare fences', 'a longer fence', 'a backslash at the end'],
  'edit-format': ['bare fences', 'a longer fence', 'a backslash at the end'],
  'xml-thought-action': ['an opening tag'],
};
const cannot = (parser: OutputParserName, name: ActionName): boolean =>
  parser === 'action'
    ? !['a special command', 'a special command among others', 'a command with an end line'].includes(name)
    : (CANNOT[parser] ?? []).includes(name);

const THOUGHTS = ['', 'Let me see.', 'First:\n\n```bash\nls\n```\nthen "more".', 'An odd ``` and <command>, {"a": 1}'];
const CASES = OUTPUT_PARSERS.flatMap((parser) =>
  (Object.keys(ACTIONS) as ActionName[]).map((name) => ({ parser, name, action: ACTIONS[name] })),
);

describe('a reply in the form of a parser', () => {
  it.each(CASES.filter(({ parser, name }) => !cannot(parser, name)))(
    '$parser reads back $name, whatever the thought',
    ({ parser, action }) => {
      for (const thought of THOUGHTS) {
        const reply = encodeReplyAs(parser, { thought, action }, context);
        const parsed = parserOf(parser)(reply ?? { text: '' }, context);
        expect(parsed).toMatchObject({ kind: 'action' });
        if (parsed.kind === 'action') expect(parsed.action.trim()).toBe(action.trim());
      }
    },
  );

  it.each(CASES.filter(({ parser, name }) => cannot(parser, name)))(
    '$parser cannot say $name',
    ({ parser, action }) => {
      expect(encodeReplyAs(parser, { thought: 'Well.', action }, context)).toBeNull();
    },
  );

  it.each(OUTPUT_PARSERS.filter((parser) => parser !== 'action' && parser !== 'identity'))(
    '%s reads back the thought',
    (parser) => {
      const thought = 'It is "2:1",\nso I look.';
      const reply = encodeReplyAs(parser, { thought, action: 'ls' }, context);
      const parsed = parserOf(parser)(reply ?? { text: '' }, context);
      expect(parsed.kind === 'action' && parsed.thought.trim()).toBe(thought);
    },
  );

  it.each(OUTPUT_PARSERS)('%s cannot say an empty command', (parser) => {
    expect(encodeReplyAs(parser, { thought: 'Hm.', action: ' \n' }, context)).toBeNull();
  });

  it.each(['fenced', 'tool-calls'] as const)('%s would lose line ends of another kind, and says so', (parser) => {
    expect(encodeReplyAs(parser, { thought: '', action: "printf 'a\r\nb'" }, context)).toBeNull();
  });

  it('calls a special command as its own tool, and everything else through bash', () => {
    const called = (action: string) => encodeReplyAs('tool-calls', { thought: 'Now.', action }, context);
    expect(called('validate\n')).toEqual({
      text: 'Now.',
      toolCalls: [{ id: 'call_1', name: 'validate', arguments: '{}' }],
    });
    expect(called('validate; ls')?.toolCalls?.[0]).toMatchObject({
      name: 'bash',
      arguments: '{"command":"validate; ls"}',
    });
    expect(called('edit 1:2\nx\nend_of_edit')?.toolCalls?.[0]).toMatchObject({ name: 'bash' });
  });

  it('keeps a thought with a block of its own where the format allows it', () => {
    const thought = 'Like this:\n```python\nx\n```\nor so.';
    const reply = encodeReplyAs('thought-action', { thought, action: 'ls' }, context);
    expect(reply?.text.startsWith(thought)).toBe(true);
  });
});
