import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AgentCommands, compileTools, TOOLS } from './agent-commands.js';

compileTools();

let tools: AgentCommands;
beforeEach(() => {
  tools = new AgentCommands();
});
afterEach(() => tools.remove());

const file = (name: string): string => join(tools.workspace, name);

it('search_dir counts matching lines per file, without hidden and binary ones', async () => {
  mkdirSync(file('sub/.hidden'), { recursive: true });
  writeFileSync(file('b.py'), 'lr = 1\nx\nlr lr\n');
  writeFileSync(file('sub/a.py'), 'the lr\n');
  for (const name of ['.env', 'sub/.hidden/c.py']) writeFileSync(file(name), 'lr\n');
  writeFileSync(file('model.bin'), 'lr\0lr\n');
  expect(
    await tools.output('mkfifo sub/pipe; ln -s . sub/loop; search_dir lr; search_dir nothing; search_dir lr sub'),
  ).toBe(
    [
      `Found 3 matches for "lr" in ${tools.workspace}:`,
      `${file('b.py')} (2 matches)`,
      `${file('sub/a.py')} (1 matches)`,
      `End of matches for "lr" in ${tools.workspace}`,
      `No matches found for "nothing" in ${tools.workspace}`,
      `Found 1 matches for "lr" in ${file('sub')}:`,
      `${file('sub/a.py')} (1 matches)`,
      `End of matches for "lr" in ${file('sub')}`,
    ].join('\n'),
  );
});

it('search_dir asks for a narrower search above 100 files, search_file above 100 lines', async () => {
  for (let n = 0; n < 101; n += 1) writeFileSync(file(`f${n}`), 'x\n');
  writeFileSync(file('lines'), 'y\n'.repeat(101));
  expect(
    await tools.output(
      'search_dir x; rm f0; search_dir x | head -n 1; search_file y lines; sed -i 1d lines; search_file y lines | head -n 1',
    ),
  ).toBe(
    [
      `More than 100 files matched for "x" in ${tools.workspace}. Please narrow your search.`,
      `Found 100 matches for "x" in ${tools.workspace}:`,
      `More than 100 lines matched for "y" in ${file('lines')}. Please narrow your search.`,
      `Found 100 matches for "y" in ${file('lines')}:`,
    ].join('\n'),
  );
});

it('search_file shows lines with numbers, of the named or the open file', async () => {
  writeFileSync(file('f'), 'def one():\n    pass\ndef two():');
  const found = [
    `Found 2 matches for "^def" in ${file('f')}:`,
    'Line 1:def one():',
    'Line 3:def two():',
    `End of matches for "^def" in ${file('f')}`,
  ].join('\n');
  expect(
    await tools.output(
      "search_file '^def'; search_file '^def' f; open f >/dev/null; search_file '^def'; search_file; search_file a b c; search_file x none; search_file x .",
    ),
  ).toBe(
    [
      'No file is open. Name the file to search, or use the open command first.',
      found,
      found,
      'Usage: search_file <search_term> [<file>]',
      'Usage: search_file <search_term> [<file>]',
      'File none not found',
      'Error: . is a directory. Use search_dir to search all of its files.',
    ].join('\n'),
  );
});

it('find_file lists names and patterns', async () => {
  mkdirSync(file('sub'));
  for (const name of ['b.py', 'a.py', 'sub/c.py', 'sub/d.txt', '[x].py']) writeFileSync(file(name), '');
  expect(
    await tools.output(
      `find_file '*.py'; find_file d.txt sub; find_file none; find_file; find_file x nowhere; find_file '*' /proc`,
    ),
  ).toBe(
    [
      `Found 4 matches for "*.py" in ${tools.workspace}:`,
      ...['[x].py', 'a.py', 'b.py', 'sub/c.py'].map(file),
      `Found 1 matches for "d.txt" in ${file('sub')}:`,
      file('sub/d.txt'),
      `No matches found for "none" in ${tools.workspace}`,
      'Usage: find_file <file_name> [<dir>]',
      'Directory nowhere not found',
      'Error: /proc belongs to the system and is not searched.',
    ].join('\n'),
  );
});

/** Each pattern on lines made for it; grep itself is the reference. */
const PATTERNS = [
  'a*b',
  '*a',
  '\\(ab\\)*c',
  'a\\{2,3\\}',
  'a\\{2\\}$',
  'a\\|b',
  'a+b',
  'a\\+b',
  'a?b',
  'a\\?b',
  '(a)',
  '^a',
  'a^b',
  'a$',
  'a$b',
  '^*a',
  '[abc]d',
  '[^abc]d',
  '[]a]',
  '[^]a]',
  '[a-c]*d',
  '[[:digit:]]\\+',
  '[[:space:]]x',
  '[a\\]',
  '\\.py',
  'x.y',
  '\\(a\\)\\1',
  '\\<ab',
  'ab\\>',
  '\\bab\\b',
  '\\w\\+(',
  '^$',
  '{',
  'a{2}',
  '\\(^a\\)',
  'x\\(a\\|b\\)y',
  '$HOME',
  'é',
  '[é]',
  '.é.',
  '\\*',
  'a**b',
  '-v',
  '\\[x\\]',
  "it's",
  'ab$\\|^cd',
];

it('patterns mean what they mean to grep', async () => {
  const lines = [
    '',
    'a',
    'b',
    'ab',
    'aab',
    'aaab',
    'abab',
    'ababc',
    'c',
    'aa',
    'aaa',
    'aaaa',
    'a+b',
    'a?b',
    'a|b',
    '(a)',
    'a^b',
    '^a',
    'a$b',
    'a$',
    '*a',
    '^*a',
    'ad',
    'dd',
    'xd',
    ']',
    'a]',
    '\\',
    '12',
    'x y',
    ' x',
    '\tx',
    'file.py',
    'filexpy',
    'xzy',
    'xy',
    'ab cd',
    'cab',
    'f(x)',
    '{',
    'a{2}',
    'xay',
    'xby',
    'xcy',
    '$HOME',
    'é',
    'aéb',
    '*',
    '-v',
    '[x]',
    "it's",
    'cd',
  ];
  writeFileSync(file('lines'), lines.map((line) => `${line}\n`).join(''));
  const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  const script = PATTERNS.map(
    (pattern) => `search_file ${quoted(pattern)} lines | sed -n 's/^Line \\([0-9]*\\):.*/\\1/p' | tr '\\n' ' '; echo`,
  );
  const ours = (await tools.output(script.join('\n'))).split('\n');
  for (const [index, pattern] of PATTERNS.entries()) {
    let theirs = '';
    try {
      theirs = execFileSync('grep', ['-n', '--', pattern, file('lines')], {
        encoding: 'utf8',
        env: { LANG: 'C.UTF-8', PATH: '/usr/bin:/bin' },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    } catch {
      // No line matches.
    }
    expect(ours[index]!.trim(), pattern).toBe([...theirs.matchAll(/^(\d+):/gm)].map(([, n]) => n).join(' '));
  }
}, 60_000);

it('a broken pattern is told, whatever is wrong with it', async () => {
  const output = await tools.output(
    `for p in '[a' '\\(' '\\)' 'a\\{x\\}' 'a\\{99999\\}' '\\1' 'a\\'  '[[:none:]]' '[z-a]'; do search_dir "$p"; done`,
  );
  expect(output.split('\n')).toHaveLength(9);
  for (const line of output.split('\n')) expect(line).toMatch(/^Error: ".*" is not a basic regular expression: /);
});

it('an expression that would take forever is stopped, and what was found is shown', () => {
  const output = execFileSync(
    'python3',
    [
      '-c',
      `
import sys; sys.dont_write_bytecode = True; sys.path.insert(0, ${JSON.stringify(TOOLS)})
from agent_tools import search
search._SECONDS = 0.2
search.search_file(["\\\\(a*\\\\)*b", ${JSON.stringify(file('f'))}])`,
    ],
    { encoding: 'utf8', input: (writeFileSync(file('f'), `b\n${'a'.repeat(60)}\n`), '') },
  );
  expect(output).toContain('Line 1:b\n');
  expect(output).toMatch(/stopped after 0\.2 seconds and is not complete/);
});
