import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentCommands, compileTools } from './agent-commands.js';

compileTools();

let tools: AgentCommands;
beforeEach(() => {
  tools = new AgentCommands();
});
afterEach(() => tools.remove());

const file = (name: string): string => join(tools.workspace, name);
const numbered = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('');
const edited = (name: string): string => readFileSync(file(name), 'latin1');

/** First and last numbered line of a window, and the header's and margins' lines. */
function windowOf(output: string) {
  const numbers = [...output.matchAll(/^(\d+):/gm)].map(([, number]) => Number(number));
  return {
    first: numbers[0],
    last: numbers.at(-1),
    above: Number(/^\((\d+) more lines above\)$/m.exec(output)?.[1] ?? 0),
    below: Number(/^\((\d+) more lines below\)$/m.exec(output)?.[1] ?? 0),
  };
}

describe('the window', () => {
  it('shows a whole file that fits, and says where a longer one goes on', async () => {
    writeFileSync(file('short'), 'one\n\ntwo');
    writeFileSync(file('long'), numbered(2500));
    expect(await tools.output('open short')).toBe(`[File: ${file('short')} (3 lines total)]\n1:one\n2:\n3:two`);
    expect(windowOf(await tools.output('open long'))).toEqual({ first: 1, last: 1000, above: 0, below: 1500 });
  });

  it('has the wanted line one sixth below its top', async () => {
    writeFileSync(file('long'), numbered(2500));
    const output = await tools.output('open long 1200; goto 1500; goto 0; goto 2499');
    const windows = output.split('[File').slice(1).map(windowOf);
    expect(windows).toEqual([
      { first: 1035, last: 2034, above: 1034, below: 466 },
      { first: 1335, last: 2334, above: 1334, below: 166 },
      { first: 1, last: 1000, above: 0, below: 1500 },
      { first: 1501, last: 2500, above: 1500, below: 0 },
    ]);
  });

  it('scrolls by its height less the overlap, and warns at the third time in a row', async () => {
    writeFileSync(file('f'), numbered(50));
    const environment = { WINDOW: '10', OVERLAP: '2' };
    const output = await tools.output('open f; scroll_down; scroll_down; scroll_up', environment);
    const windows = output.split('[File').slice(1).map(windowOf);
    expect(windows.map(({ first }) => first)).toEqual([1, 9, 17, 9]);
    expect(output.split('[File').map((part) => part.includes('WARNING'))).toEqual([false, false, false, false, true]);
    expect(await tools.output('search_file "line 9" f; scroll_up', environment)).not.toContain('WARNING');
  });

  it('cuts very long lines, and shows bytes that are no UTF-8 as such', async () => {
    writeFileSync(file('wide'), `${'x'.repeat(20_000)}\n`);
    writeFileSync(file('latin'), Buffer.from([0x61, 0xe9, 0x00, 0x62, 0x0a]));
    const output = await tools.output('open wide; open latin');
    expect(output).toContain(`1:${'x'.repeat(5000)} [15000 more characters]`);
    expect(output).toContain('1:a\ufffd\ufffdb');
  });
});

describe('open, goto and create', () => {
  it('say what is wrong with a call', async () => {
    writeFileSync(file('f'), numbered(3));
    mkdirSync(file('folder'));
    writeFileSync(file('image.png'), Buffer.from('89504e470d0a1a0a00', 'hex'));
    const output = await tools.output(
      'goto 1; open; open nothing; open folder; open image.png; open f x; open f 9; open f 0; goto 4; goto x; goto 1 2; open --help',
    );
    const shown = `[File: ${file('f')} (3 lines total)]\n1:line 1\n2:line 2\n3:line 3`;
    expect(output.split('\n').map((line) => line.replace(tools.workspace, ''))).toEqual(
      [
        'No file is open. Use the open command first.',
        'Usage: open <path> [<line_number>]',
        'File nothing not found',
        'Error: folder is a directory. Use cd to go there, or ls to list it.',
        'Error: image.png is an image, and this editor shows text only.',
        'Usage: open <path> [<line_number>]',
        'Error: <line_number> must be a number',
        'Warning: line 9 was asked for, and the file has 3',
        'Warning: the window is moved to line 3',
        shown,
        'Warning: line 0 was asked for, and lines are counted from 1',
        'Warning: the window is moved to line 1',
        shown,
        'Error: <line_number> must be at most 3, the number of lines',
        'Usage: goto <line_number>',
        'Error: <line_number> must be a number',
        'Usage: goto <line_number>',
        'goto takes one line number.',
        'Usage: open <path> [<line_number>]',
        'Show a file, from its top or around a line.',
      ]
        .join('\n')
        .split('\n')
        .map((line) => line.replace(tools.workspace, '')),
    );
  });

  it('never wait for a FIFO, nor read a device or a huge file', async () => {
    const { output } = await tools.shell(
      'mkfifo pipe; truncate -s 100M huge; open pipe; open /dev/zero; open huge; open /proc/self/mem; search_dir x; ln -s loop loop; open loop',
    );
    expect(output).toMatch(/pipe is not a regular file/);
    expect(output).toMatch(/\/dev\/zero is not a regular file/);
    expect(output).toMatch(/huge has 104857600 bytes/);
    expect(output).not.toContain('Traceback');
  });

  it('create makes one empty line, and only opens what is there', async () => {
    const output = await tools.output('create new; echo text > new; create new; create no/such');
    expect(output).toBe(
      [
        `[File: ${file('new')} (1 lines total)]\n1:`,
        `Error: File 'new' already exists.\n[File: ${file('new')} (1 lines total)]\n1:text`,
        `Error: 'no/such' cannot be created: its folder does not exist.\nFile no/such not found`,
      ].join('\n'),
    );
  });

  it('names with spaces and quotes are names', async () => {
    const output = await tools.output(`create "a 'b' \\"c\\".txt"; goto 1`);
    expect(output.match(/\[File: .*a 'b' "c"\.txt \(1 lines total\)\]/g)).toHaveLength(2);
    expect(JSON.parse(readFileSync(tools.stateFile, 'utf8'))).toMatchObject({ openFile: file(`a 'b' "c".txt`) });
  });
});

describe('edit and insert', () => {
  it('replace, delete, insert and append', async () => {
    writeFileSync(file('f'), 'a\nb\nc\n');
    await tools.output(
      "open f; edit 2:2 <<'E'\nB\nBB\nE\ninsert 0 <<'E'\ntop\nE\ninsert 99 <<'E'\nend\nE\nedit 3:3 <<'E'\nE",
    );
    expect(edited('f')).toBe('top\na\nBB\nc\nend\n');
    await tools.output("edit 4:3 <<'E'\nbetween\nE\nedit 6:100 <<'E'\nlast\nE\nedit 50:60 <<'E'\nmore\nE");
    expect(edited('f')).toBe('top\na\nBB\nbetween\nc\nlast\nmore\n');
    await tools.output("edit 1:7 <<'E'\nE\ninsert 0 <<'E'\nnew\nE");
    expect(edited('f')).toBe('new\n');
  });

  it('change nothing for a range that is none, and without a text', async () => {
    writeFileSync(file('f'), 'a\nb\n');
    const output = await tools.output(
      "open f; for range in 0:0 0:1 1 1:x 1:2:3 -1:2 '\"f\" 1:1' ''; do edit $range <<'E'\nX\nE\ndone; edit 1:1; insert 1; insert x <<'E'\nX\nE",
    );
    expect(edited('f')).toBe('a\nb\n');
    expect(output.match(/^Usage: edit <start_line>:<end_line>$/gm)).toHaveLength(8);
    expect(output.match(/^Error: no text was given, and nothing was changed/gm)).toHaveLength(2);
  });

  it('keep line ends, a missing last one, foreign bytes and the mode', async () => {
    writeFileSync(file('crlf'), 'a\r\nb\r\n');
    writeFileSync(file('open'), 'a\nb\nc');
    writeFileSync(file('bytes'), Buffer.from([0xe9, 0x0a, 0x00, 0xff, 0x0a]));
    chmodSync(file('crlf'), 0o750);
    await tools.output(
      "open crlf; insert 1 <<'E'\nx\nE\nopen ./open; edit 1:1 <<'E'\nA\nE\ninsert 2 <<'E'\nB\nE\nopen bytes; insert 1 <<'E'\nx\nE",
    );
    expect(edited('crlf')).toBe('a\r\nx\r\nb\r\n');
    expect(statSync(file('crlf')).mode & 0o777).toBe(0o750);
    expect(edited('open')).toBe('A\nb\nB\nc');
    expect(readFileSync(file('bytes'))).toEqual(Buffer.from([0xe9, 0x0a, 0x78, 0x0a, 0x00, 0xff, 0x0a]));
  });

  it('leave nothing behind, and write through links', async () => {
    mkdirSync(file('real'));
    writeFileSync(file('real/f'), 'a\n');
    symlinkSync('real/f', file('link'));
    await tools.output("open link; edit 1:1 <<'E'\nb\nE");
    expect(edited('real/f')).toBe('b\n');
    expect(readdirSync(tools.workspace).sort()).toEqual(['link', 'real']);
    expect(readdirSync(file('real'))).toEqual(['f']);
    expect(readdirSync(join(tools.home, '.bench'))).toEqual(['state.json']);
  });

  it('tell a read-only file from one that is gone, with exit code 1', async () => {
    writeFileSync(file('f'), 'a\n', { mode: 0o444 });
    const readOnly = await tools.shell("open f >/dev/null; edit 1:1 <<'E'\nb\nE");
    expect(readOnly).toEqual({ output: `Error: ${file('f')} is read-only and cannot be changed.`, exitCode: 1 });
    const gone = await tools.shell("rm -f f; edit 1:1 <<'E'\nb\nE");
    expect(gone.exitCode).toBe(1);
    expect(gone.output).toMatch(/no longer exists/);
    expect(existsSync(file('f'))).toBe(false);
  });

  it('leave the file as it was when the disk is full', async () => {
    writeFileSync(file('f'), 'a\n');
    // The limit on file sizes stands for the disk: a write beyond it fails.
    const { output, exitCode } = await tools.shell(
      `open f >/dev/null; trap '' XFSZ; ulimit -f 64; { head -c 200000 /dev/zero | tr '\\0' x; echo; } | edit 1:1`,
    );
    expect(exitCode).toBe(1);
    expect(output).toMatch(/could not be written and is unchanged: File too large/);
    expect(edited('f')).toBe('a\n');
    expect(readdirSync(tools.workspace)).toEqual(['f']);
  });
});

describe('what the editor remembers', () => {
  it.each([
    ['no JSON', '{"openFile": '],
    ['another type', '[1, 2]'],
    ['a number for a path', '{"openFile": 3}'],
    ['a relative path', '{"openFile": "f"}'],
    ['a huge line', '{"openFile": "/etc/passwd", "currentLine": 1e400}'],
    ['deep nesting', '['.repeat(60_000)],
    ['more than it would write', `{"openFile": "/etc/passwd", "x": "${'x'.repeat(100_000)}"}`],
  ])('is forgotten when it is %s', async (_, content) => {
    mkdirSync(join(tools.home, '.bench'));
    writeFileSync(tools.stateFile, content);
    writeFileSync(file('f'), 'a\n');
    const output = await tools.output('goto 1; open f; goto 1');
    const shown = `[File: ${file('f')} (1 lines total)]\n1:a`;
    expect(output).toBe(`No file is open. Use the open command first.\n${shown}\n${shown}`);
  });

  it('may be a link, a FIFO or a folder without harm', async () => {
    writeFileSync(file('f'), 'a\n');
    const output = await tools.output(
      'mkdir ~/.bench; mkfifo ~/.bench/state.json; goto 1; open f; rm ~/.bench/state.json; ln -s ~/target ~/.bench/state.json; goto 1; open f; cat ~/target; rm -r ~/.bench; touch ~/.bench; open f',
    );
    expect(output).not.toContain('Traceback');
    expect(output.match(/^No file is open/gm)).toHaveLength(2);
    expect(output).toMatch(/target: No such file/);
    expect(output).toMatch(/Warning: the editor cannot remember the open file/);
  });

  it('outlives a changed HOME, PATH and a deleted directory', async () => {
    writeFileSync(file('f'), 'a\n');
    const output = await tools.output(
      `open f; HOME=/nowhere PATH=/nowhere ${tools.bin}/goto 1; mkdir gone; cd gone; rmdir ../gone; ${tools.bin}/goto 1; ${tools.bin}/open f || true; PYTHONPATH=/nowhere PYTHONHOME=/nowhere ${tools.bin}/goto 1`,
    );
    expect(output.match(/^1:a$/gm)).toHaveLength(4);
    expect(output).toMatch(/^Error: the working directory no longer exists/m);
    expect(output).not.toContain('Traceback');
  });

  it('is not needed by whoever reads only the beginning of an output', async () => {
    writeFileSync(file('f'), numbered(900));
    expect(await tools.output('open f | head -n 1; open f >&-')).toBe(`[File: ${file('f')} (900 lines total)]`);
  });
});
