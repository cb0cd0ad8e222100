import { describe, expect, it } from 'vitest';
import { parseFencedReply } from '../../../domain/agent/parse-reply.js';

const fence = '```';

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
