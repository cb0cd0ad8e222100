import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AgentCommands, compileTools } from './agent-commands.js';

compileTools();
let agent: AgentCommands;
beforeEach(() => void (agent = new AgentCommands()));
afterEach(async () => {
  // Its server goes with it.
  await agent.shell('mcp_call notes die </dev/null', servers());
  agent.remove();
});

const SERVER = join(import.meta.dirname, '..', '..', 'fakes', 'mcp-server.py');
const servers = (command = ['python3', SERVER]) => ({
  AGENT_MCP_SERVERS: JSON.stringify({ notes: { command, environment: { WHO: 'me' } } }),
});
const call = (tool: string, given: unknown) =>
  agent.shell(`mcp_call notes ${tool} <<'X'\n${JSON.stringify(given)}\nX`, servers());

it('lists the tools of all servers, page by page', async () => {
  const tools = JSON.parse(await agent.output('mcp_tools', servers())) as { server: string; name: string }[];
  expect(tools.map(({ server, name }) => `${server}__${name}`)).toEqual([
    ...['notes__add_note', 'notes__show_notes', 'notes__plot', 'notes__die'],
  ]);
  expect(tools[0]).toMatchObject({ description: 'does add_note', inputSchema: { type: 'object' } });
});

it('one server lives through all calls, in its environment and the folder of its start', async () => {
  expect(await call('add_note', { text: "it's\n$HOME" })).toEqual({ output: '1 notes', exitCode: 0 });
  expect((await agent.shell(`cd /; mcp_call notes add_note <<< '{"text": "b"}'`, servers())).output).toBe('2 notes');
  expect(JSON.parse((await call('show_notes', {})).output)).toEqual({ notes: ["it's\n$HOME", 'b'], who: 'me' });
  expect(readFileSync(join(agent.workspace, 'calls.log'), 'utf8')).toBe('add_note\nadd_note\n');
});

it('a call that is stopped leaves the server to the next', async () => {
  await call('add_note', { text: 'a' });
  expect((await agent.shell(`timeout 1 mcp_call notes slow <<< '{}'`, servers())).exitCode).toBe(124);
  expect((await call('add_note', { text: 'b' })).output).toBe('2 notes');
});

it('after the death of a server its effects are unknown, and the next call starts another', async () => {
  await call('add_note', { text: 'a' });
  expect(await call('die', {})).toMatchObject({ exitCode: 1, output: expect.stringContaining('has ended') as string });
  expect((await call('add_note', { text: 'b' })).output).toBe('1 notes');
});

it('shows images as view_image does, and errors of tools with exit code 1', async () => {
  expect((await call('plot', {})).output).toMatch(/^\[image file [0-9a-f]{16}: notes__plot, 70 bytes\]$/);
  expect(await call('none', {})).toEqual({ output: 'no tool none\n[the tool reports an error]', exitCode: 1 });
});

it.each([
  [['python3', '-c', 'raise SystemExit("no key")'], /did not start: it has ended\nno key/],
  [['no-such-program'], /did not start: .*No such file/],
])('%j says why it did not start', async (command, why) => {
  const { output, exitCode } = await agent.shell('mcp_tools', servers(command));
  expect([exitCode, output]).toEqual([1, expect.stringMatching(why)]);
});
