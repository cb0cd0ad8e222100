import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentCommands, compileTools } from './agent-commands.js';

compileTools();

describe('an edit of a Python file', () => {
  let tools: AgentCommands;
  beforeEach(() => {
    tools = new AgentCommands();
  });
  afterEach(() => tools.remove());

  it('that brings an error is reported with both windows and not applied', async () => {
    const path = join(tools.workspace, 'f.py');
    writeFileSync(path, Array.from({ length: 20 }, (_, i) => `x${i + 1} = ${i + 1}\n`).join(''));
    const output = await tools.output(`open f.py >/dev/null; edit 10:11 <<'E'\nx10 = 1\n  x11 = 2\nx11 = 3\nE`);
    expect(
      output.split('\n').map((line) => (/^(\[|\(|\d+:|-|ERR)/.test(line) ? line.replace(tools.workspace, '') : '…')),
    ).toEqual([
      '…',
      'ERRORS:',
      expect.stringMatching(/^- E999 IndentationError: unexpected indent \(line 11:\d\)$/),
      '…',
      '-'.repeat(49),
      '[File: /f.py (21 lines total)]',
      '(3 more lines above)',
      ...[4, 5, 6, 7, 8, 9].map((n) => `${n}:x${n} = ${n}`),
      '10:x10 = 1',
      '11:  x11 = 2',
      '12:x11 = 3',
      ...[13, 14, 15, 16].map((n) => `${n}:x${n - 1} = ${n - 1}`),
      '(5 more lines below)',
      '-'.repeat(49),
      '…',
      '-'.repeat(49),
      '[File: /f.py (20 lines total)]',
      '(4 more lines above)',
      ...Array.from({ length: 12 }, (_, i) => `${i + 5}:x${i + 5} = ${i + 5}`),
      '(4 more lines below)',
      '-'.repeat(49),
      '…',
      '…',
      '…',
    ]);
    expect(await tools.output('cat f.py')).toBe(
      Array.from({ length: 20 }, (_, i) => `x${i + 1} = ${i + 1}`).join('\n'),
    );
  });

  it('does not answer for errors elsewhere, wherever they move', async () => {
    writeFileSync(join(tools.workspace, 'f.py'), 'print(above)\nx = 1\nprint(below)\n');
    const output = await tools.output(
      `open f.py; edit 2:2 <<'E'\nx = 1\ny = 2\nE\nedit 2:3 <<'E'\nE\nedit 2:2 <<'E'\nprint(below)\nE`,
    );
    expect(output.match(/^ERRORS:$/gm)).toHaveLength(1);
    expect(output).toContain("- F821 undefined name 'below' (line 2:7)");
    expect(await tools.output('cat f.py')).toBe('print(above)\nprint(below)');
  });

  it('may mend a broken file one place at a time', async () => {
    writeFileSync(join(tools.workspace, 'f.py'), 'def a():\nreturn 1\ndef b():\nreturn undefined\n');
    await tools.output(`open f.py; edit 2:2 <<'E'\n    return 1\nE\nedit 4:4 <<'E'\n    return 2\nE`);
    expect(await tools.output('cat f.py')).toBe('def a():\n    return 1\ndef b():\n    return 2');
  });

  it('may indent by two columns; the first time it is noted', async () => {
    writeFileSync(join(tools.workspace, 'f.py'), 'x = 1\n');
    const output = await tools.output(`open f.py; edit 1:1 <<'E'\nif 1:\n  x = 1\nE\nedit 2:2 <<'E'\n  x = 2\nE`);
    expect(output.match(/^Note: E111 .*\(line 2\)\.$/gm)).toHaveLength(1);
    expect(await tools.output('cat f.py')).toBe('if 1:\n  x = 2');
  });

  it('in another language is not checked', async () => {
    const output = await tools.output(`create f.txt; edit 1:1 <<'E'\n  def (\nE`);
    expect(output).not.toContain('ERRORS');
  });
});
