import { describe, expect, it } from 'vitest';
import { parseFencedReply } from '../../../domain/agent/parse-reply.js';

const fence = '```';
const editor = { name: 'edit', docstring: 'Edit.', endName: 'end_of_edit', arguments: [] };

describe('parseFencedReply', () => {
  it('takes the block as the command and the rest as the thought', () => {
    const reply = `I look.\n${fence}bash\nls -la\necho done\n${fence}\nThat is all.`;
    expect(parseFencedReply(reply)).toEqual({
      kind: 'action',
      thought: 'I look.\nThat is all.',
      action: 'ls -la\necho done',
    });
  });
  it('reads Windows line ends', () => {
    expect(parseFencedReply(`a\r\n${fence}\r\nls\r\n${fence}\r\n`)).toMatchObject({ kind: 'action', action: 'ls' });
  });
  it('lets a longer fence hold a shorter one, so that a command can write Markdown', () => {
    const reply = `${fence}${'`'}\ncat > README.md <<'EOF'\n${fence}python\nx\n${fence}\nEOF\n${fence}${'`'}`;
    expect(parseFencedReply(reply)).toMatchObject({
      kind: 'action',
      action: `cat > README.md <<'EOF'\n${fence}python\nx\n${fence}\nEOF`,
    });
  });
  it.each(['python', 'Python3', 'js', 'sql', 'json'])('keeps the fences of a block marked %s', (language) => {
    const block = `${fence}${language}\nx = 1\n${fence}`;
    expect(parseFencedReply(`I compute.\n${block}`)).toEqual({ kind: 'action', thought: 'I compute.', action: block });
  });
  it.each(['', 'bash', 'sh', 'console', 'text', 'tool_code'])('takes the text of a block marked "%s"', (language) =>
    expect(parseFencedReply(`${fence}${language}\nls\n${fence}`)).toMatchObject({ action: 'ls' }),
  );
  it('takes a special command, however its block is marked', () => {
    const command = 'edit 1:1\nx = 1\nend_of_edit';
    expect(parseFencedReply(`${fence}python\n${command}\n${fence}`, [editor])).toMatchObject({ action: command });
  });
  it('leaves triple backticks inside a line of the thought alone', () => {
    expect(parseFencedReply(`use ${fence} here\n${fence}\nls\n${fence}`)).toMatchObject({
      kind: 'action',
      action: 'ls',
    });
  });
  it.each([
    ['no block', 'I would list the files.', /no fenced/],
    ['an unclosed block', `${fence}\nls`, /never closed/],
    ['two blocks', `${fence}\nls\n${fence}\n${fence}\npwd\n${fence}`, /2 fenced/],
    ['an empty block', `${fence}\n\n${fence}`, /empty/],
    ['an indented fence', `  ${fence}\n  ls\n  ${fence}`, /no fenced/],
  ])('refuses %s and says why', (_, reply, problem) => {
    const parsed = parseFencedReply(reply);
    expect(parsed.kind).toBe('format_error');
    expect(parsed.kind === 'format_error' && parsed.problem).toMatch(problem);
  });
});
