import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AgentCommands, compileTools } from './agent-commands.js';

compileTools();
let agent: AgentCommands;
beforeEach(() => void (agent = new AgentCommands()));
afterEach(() => agent.remove());

const path = (name: string): string => join(agent.workspace, name);

it('writes a file with its folders, and shows numbered lines of it', async () => {
  expect(await agent.output("write_file src/a.py <<'X'\nx = 1\ny = 2\nX")).toBe('Made src/a.py: 2 lines.');
  expect(readFileSync(path('src/a.py'), 'utf8')).toBe('x = 1\ny = 2\n');
  expect(await agent.output('view_file src/a.py 2')).toBe('     2\ty = 2');
  expect(await agent.output('view_file src/a.py 3 9')).toContain('has 2 lines');
});

it('replaces a text that is there once, exactly, and shows the place', async () => {
  writeFileSync(path('a.py'), 'def f():\n    return "$HOME"\n');
  const output = await agent.output(`str_replace a.py 'return "$HOME"' 'x = 1
    return x  # \`y\`'`);
  expect(output).toBe(
    'Changed a.py. The lines around it are now:\n     1\tdef f():\n     2\t    x = 1\n     3\t    return x  # `y`',
  );
  expect(readFileSync(path('a.py'), 'utf8')).toBe('def f():\n    x = 1\n    return x  # `y`\n');
});

it('changes nothing where the text is missing, or there twice', async () => {
  writeFileSync(path('a.txt'), 'one\ntwo\none\n');
  expect(await agent.output("str_replace a.txt three ''")).toContain('is not in a.txt');
  expect(await agent.output("str_replace a.txt one ''")).toContain('2 times (lines 1, 3)');
  expect(await agent.output("str_replace a.txt '' x")).toContain('old_text is empty');
  expect(readFileSync(path('a.txt'), 'utf8')).toBe('one\ntwo\none\n');
});

it('a text with the line ends of the tool finds lines with those of Windows', async () => {
  writeFileSync(path('a.txt'), 'a\r\nb\r\nc\r\n');
  await agent.output("str_replace a.txt 'a\nb' 'x\ny'");
  expect(readFileSync(path('a.txt'), 'utf8')).toBe('x\r\ny\r\nc\r\n');
});

it('a directory, a missing and a read-only file are refused', async () => {
  writeFileSync(path('locked'), 'a\n', { mode: 0o444 });
  expect(await agent.shell('view_file nowhere')).toEqual({ output: 'File nowhere not found', exitCode: 0 });
  expect(await agent.output("write_file . <<'X'\nX")).toContain('is a directory');
  expect(await agent.shell('str_replace locked a b')).toMatchObject({ exitCode: 1 });
});
