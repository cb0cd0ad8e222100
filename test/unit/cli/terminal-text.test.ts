import { describe, expect, it } from 'vitest';
import stringWidth from 'string-width';
import { renderRuns } from '../../../cli/render/runs.js';
import { control, createTerminalColors, cutToWidth, forTerminal, printable } from '../../../cli/terminal-text.js';
import { captured, run } from './fixtures.js';

const EVIL = 'm\u001b[2J\u001b]0;title\u0007\u009b31m\u202ecod\u2066.\r';
const SHOWN = 'm\\x1b[2J\\x1b]0;title\\x07\\x9b31m\\u202ecod\\u2066.\\x0d';
const colors = createTerminalColors(true);

describe('what is written to a terminal', () => {
  it('has no control character of a name, on either stream, by any way', () => {
    for (const tty of [true, false]) {
      const { output, texts } = captured({ tty });
      output.print(EVIL);
      output.draw(EVIL);
      expect(texts.stdout).toBe(`${SHOWN}\n${SHOWN}`);
      output.log(EVIL);
      output.drawLog(EVIL);
      expect(texts.stderr).toBe(`${SHOWN}\n${SHOWN}`);
    }
  });

  it('has files as they are in a pipe, and shown on a terminal', () => {
    const [piped, shown] = [captured(), captured({ tty: true })];
    for (const { output } of [piped, shown]) output.data(EVIL);
    expect([piped.texts.stdout, shown.texts.stdout]).toEqual([EVIL, SHOWN]);
  });

  it('has JSON without raw control characters, and the same document', () => {
    const { output, texts } = captured({ json: true, tty: true });
    output.json({ model: EVIL });
    // oxlint-disable-next-line no-control-regex
    expect(texts.stdout).not.toMatch(/[\u001b\u007f-\u009f\u202e\u2066]/);
    expect(JSON.parse(texts.stdout)).toEqual({ model: EVIL });
  });

  it('has our colours and cursor movements, and no colour that came with a text', () => {
    expect(forTerminal(colors.red(`a${colors.bold('b')}\u001b[32mc`))).toBe(
      '\u001b[31ma\u001b[1mb\u001b[22m\\x1b[32mc\u001b[39m',
    );
    expect(forTerminal(control('A', 3) + control('J') + control('l', '?7'))).toBe('\u001b[3A\u001b[J\u001b[?7l');
    expect(forTerminal('\u001b[31;1;2;3m\u001b[31m')).toBe('\\x1b[31;1;2;3m\\x1b[31m');
    expect(printable(printable(EVIL))).toBe(SHOWN);
  });

  it('has a table whose columns stand under each other beside a name with control characters, and a row per run', () => {
    const { output, texts } = captured();
    const names = [`${EVIL}\nr-forged row`, '模型', 'plain'];
    output.print(
      renderRuns(
        names.map((model) => run({ model })),
        output.colors,
      ),
    );
    const lines = texts.stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    const task = (line: string) => stringWidth(line.slice(0, line.search(/battleOfSexes|task/)));
    expect(new Set(lines.map(task)).size).toBe(1);
  });
});

describe('a line that is cut to a width', () => {
  it('counts wide characters as two columns, and colours as none', () => {
    expect(cutToWidth('abcdef', 6)).toBe('abcdef');
    expect(cutToWidth('abcdef', 5)).toBe('abcd…');
    expect(cutToWidth('模型模型', 5)).toBe('模型…');
    expect(cutToWidth('模型模型', 6)).toBe('模型…');
    expect(cutToWidth('👩‍👩‍👧‍👦abc', 4)).toBe('👩‍👩‍👧‍👦a…');
    expect(forTerminal(cutToWidth(`${colors.red('abc')}def`, 3))).toBe('\u001b[31mab…\u001b[39m');
    expect(cutToWidth('abc', 0)).toBe('');
  });
});
