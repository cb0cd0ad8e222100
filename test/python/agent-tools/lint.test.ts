import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentCommands, compileTools, TOOLS } from './agent-commands.js';

compileTools();

/** `line:column code text` of each problem in each program, all checked in one process. */
function check(programs: readonly string[]): string[][] {
  const code = `
import json, sys; sys.dont_write_bytecode = True; sys.path.insert(0, ${JSON.stringify(TOOLS)})
from agent_tools import lint
print(json.dumps([["%d:%d %s %s" % problem for problem in lint.check(text.encode("utf-8", "surrogateescape"), "x.py").problems] for text in json.load(sys.stdin)]))`;
  return JSON.parse(
    execFileSync('python3', ['-c', code], { encoding: 'utf8', input: JSON.stringify(programs) }),
  ) as string[][];
}

describe('the check of Python', () => {
  it('finds names that are nowhere defined', () => {
    const programs = {
      'print(x)\n': ["1:7 F821 undefined name 'x'"],
      'def f(a=b) -> c:\n    return d\n': [
        "1:9 F821 undefined name 'b'",
        "1:15 F821 undefined name 'c'",
        "2:12 F821 undefined name 'd'",
      ],
      'class A:\n    y = 1\n    def f(self):\n        return y\n': ["4:16 F821 undefined name 'y'"],
      '[i for i in range(3)]\nprint(i)\n': ["2:7 F821 undefined name 'i'"],
      'def f():\n    local = 1\nprint(local)\n': ["3:7 F821 undefined name 'local'"],
      '__all__ = ["f", "g"]\ndef f(): pass\n': ["1:17 F822 undefined name 'g' in __all__"],
      'def f(a, a): pass\n': ["1:10 F831 duplicate argument 'a' in function definition"],
      'lambda a, *, a: 0\n': ["1:14 F831 duplicate argument 'a' in function definition"],
    };
    expect(check(Object.keys(programs))).toEqual(Object.values(programs));
  });

  it('keeps quiet about names that may be defined', () => {
    const programs = [
      'from os import *\nprint(listdir)\n',
      'exec("x = 1")\nprint(x)\n',
      'globals()["x"] = 1\nprint(x)\n',
      'def f():\n    global x\n    x = 1\nprint(x)\n',
      'try:\n    unicode\nexcept NameError:\n    unicode = str\n',
      'if 1:\n    x = 1\nprint(x)\n',
      'print(__file__, __name__, __doc__, WindowsError)\n',
      'class A:\n    x = 1\n    y = [x for _ in range(x)]\n    print(__module__, __qualname__)\n    def f(self): return __class__\n',
      'import a.b.c\nimport d as e\nprint(a, e)\n',
      'def f():\n    x = 1\n    def g():\n        nonlocal x\n        x += 1\n    del x\n',
      'print([y := 1, y], (lambda *a, **k: (a, k)))\nwhile (n := 1):\n    print(n)\n',
      'for i, (j, *k) in []:\n    print(i, j, k)\nwith open("f") as g, open("h") as (h, m):\n    print(g, h, m)\n',
      'try:\n    pass\nexcept ValueError as e:\n    print(e)\n',
      '{a: b for a, b in {}.items() for c in a if c}\n',
      '__all__ = ["x"]\ndef __getattr__(name): pass\n',
      'x: "Undefined" = 1\ny = x  # type: Undefined\n',
      'async def f():\n    async for x in f():\n        await x\n    return [z async for z in f()]\n',
    ];
    expect(Object.fromEntries(check(programs).map((found, i) => [programs[i], found]))).toEqual(
      Object.fromEntries(programs.map((program) => [program, []])),
    );
  });

  it('reports what cannot be parsed, and only that', () => {
    const found = check([
      'def f():\nreturn x\n',
      'x = (1,\n',
      '  x = y\n',
      'if x:\n\ty\n        z\n',
      'x = "\n',
      'a\0b\n',
      '# coding: nonsense\nx = 1\n',
      'return\n',
    ]);
    expect(found.map((problems) => problems.map((problem) => problem.split(' ')[1]))).toEqual([
      ['E999'],
      ['E999'],
      ['E999'],
      ['E999'],
      ['E999'],
      ['E999'],
      ['E902'],
      [],
    ]);
    expect(found[2]).toEqual([expect.stringMatching(/^1:\d E999 IndentationError: unexpected indent$/)]);
  });

  it('gives up on what is nested too deeply instead of failing', () => {
    expect(
      check([
        `x = ${'('.repeat(5000)}${')'.repeat(5000)}\n`,
        `x = ${'-'.repeat(20_000)}1\n`,
        `x = a${'.b'.repeat(5000)}\n`,
      ])
        .flat()
        .filter((problem) => !/E999|F821/.test(problem)),
    ).toEqual([]);
  });
});

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
