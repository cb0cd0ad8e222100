import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { COMMANDS, TOOLS } from './agent-commands.js';

const folder = join(import.meta.dirname, '../../../configs/commands');

interface Documented {
  name: string;
  signature: string;
}

/** Models call the tools of MCP servers natively. */
const OF_TOOLS = ['mcp_call', 'mcp_tools'];

it('every command is installed, runs and is documented, and no other', () => {
  const documented = readdirSync(folder).flatMap(
    (name) => (parse(readFileSync(join(folder, name), 'utf8')) as { commands: Documented[] }).commands,
  );
  const names = [...documented.map(({ name }) => name), ...OF_TOOLS].sort();
  expect(names).toEqual([...COMMANDS].sort());
  expect(readFileSync(join(TOOLS, 'commands.txt'), 'utf8').split(/\s+/).filter(Boolean).sort()).toEqual(names);
  const program = readFileSync(join(TOOLS, 'agent_tools', 'main.py'), 'utf8');
  expect([...program.matchAll(/^ {4}"(\w+)": _Command\(/gm)].map(([, name]) => name).sort()).toEqual(names);
  for (const { name, signature } of documented) expect(signature.split(/\s/)[0]).toBe(name);
});
