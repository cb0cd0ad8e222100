import { expect, it } from 'vitest';
import { listTools } from '../../../../activities/list-tools.js';
import { agentFileSchema } from '../../../../domain/agent/config.js';
import { blockedCommand } from '../../../../domain/agent/blocklist.js';
import { guardMultiline } from '../../../../domain/agent/guard-multiline.js';
import { listedTools, mcpAction } from '../../../../domain/agent/mcp.js';
import { parserOf } from '../../../../domain/agent/parse-reply.js';
import type { ExecResult } from '../../../../domain/ports/sandbox-port.js';
import type { RunDefinition } from '../../../../domain/run/run.js';

const tool = { server: 'notes', name: 'add', description: 'adds', inputSchema: { type: 'object' } };

it('tools have the names that models call', () => {
  expect(listedTools(JSON.stringify([tool, { server: 'notes', name: 'show' }]))).toEqual([
    { name: 'notes__add', description: 'adds', parameters: { type: 'object' } },
    { name: 'notes__show', description: '', parameters: { type: 'object' } },
  ]);
});

it.each([
  ['no JSON', 'MCP server notes did not start', 'did not start'],
  ['another form', '[{"server": 1}]', 'form of the protocol'],
  ['a name that no model takes', JSON.stringify([{ ...tool, name: 'a.b' }]), 'notes__a.b'],
  ['a long name', JSON.stringify([{ ...tool, name: 'x'.repeat(60) }]), '64 at most'],
  ['the same name twice', JSON.stringify([tool, tool]), 'each once'],
])('%s is refused', (_, printed, why) =>
  expect(listedTools(printed)).toMatchObject({ problem: expect.stringContaining(why) as string }),
);

const call = (name: string, given: string) =>
  parserOf('several-tool-calls')(
    { text: '', toolCalls: [{ id: 'a', name, arguments: given }] },
    { commands: [], mcp: ['notes'] },
  );

it('a call is a command that no text of its arguments can leave', () => {
  const given = { text: "end_of_arguments\nend_of_arguments\n$(vim) `git` 'x' \\" };
  const parsed = call('notes__add', JSON.stringify(given));
  expect(parsed).toMatchObject({ kind: 'action', action: mcpAction('notes__add', given, ['notes']) });
  const { action } = parsed as { action: string };
  const [first, body, last] = action.split('\n');
  expect([first, last]).toEqual(["mcp_call notes add <<'end_of_arguments'", 'end_of_arguments']);
  expect(JSON.parse(body!)).toEqual(given);
  expect(blockedCommand(action, { blocklist: ['vim', 'git'], blocklistStandalone: [] })).toBeNull();
  expect(guardMultiline(action, [{ name: 'edit', endName: 'end_of_edit' }])).toEqual({
    kind: 'script',
    script: action,
  });
});

it('other servers, and arguments that are no object, are refused', () => {
  expect(call('other__add', '{}')).toMatchObject({
    problem: expect.stringMatching(/no tool "other__add".*notes__…/) as string,
  });
  expect(call('notes__add', '[1]')).toMatchObject({ problem: expect.stringContaining('not a JSON object') as string });
  expect(mcpAction('notes__a;b', {}, ['notes'])).toBeNull();
});

const file = (tools: unknown, outputParser = 'tool-calls') =>
  agentFileSchema.safeParse({
    ...{ schema: 1, description: 'd', systemTemplate: 's', taskTemplate: 't', outputParser },
    tools,
  });

it('an agent file says what is wrong with its servers', () => {
  const mcp = { notes: { command: ['x'] } };
  expect(file({ mcp }).success).toBe(true);
  expect(file({ mcp }, 'fenced').error?.message).toContain('MCP servers need native tool calls');
  expect(file({ mcp: { notes: { url: 'https://mcp.test/mcp' } } }).success).toBe(true);
  expect(file({ mcp: { A_b: { command: ['x'] } } }).success).toBe(false);
});

it.each([
  [{}, 'name the command of a server over stdio, or the url of one over HTTP'],
  [{ command: ['x'], url: 'http://x' }, 'name the command of a server over stdio, or the url'],
  [{ url: 'http://x', environment: { A: 'b' } }, 'environment is for a server with a command'],
  [{ url: 'stdio:x' }, 'must be a URL that begins with http:// or https://'],
  [{ url: 'https://user:key@x' }, 'must not contain credentials'],
])('a server that is %j is refused', (server, why) => {
  expect(file({ mcp: { notes: server } }).error?.message).toContain(why);
});

it('an address with credentials is not quoted', () => {
  const issue = file({ mcp: { notes: { url: 'https://user:canary@x' } } }).error?.issues[0];
  expect(issue).toMatchObject({ params: { secret: true } });
});

const stream = (text: string) => ({ kept: Buffer.from(text), bytes: text.length, truncated: false });
const ended = (exitCode: number, stdout: string, more = {}): ExecResult => ({
  ...{ kind: 'ended', exitCode, signal: null, timedOut: false, stoppedBy: null, ms: 1 },
  ...{ stdout: stream(stdout), stderr: stream(''), ...more },
});
async function list(result: ExecResult, known: unknown = null) {
  const saved: unknown[] = [];
  const store = {
    listedTools: async () => known as never,
    saveListedTools: async (_: string, tools: unknown) => void saved.push(tools),
  };
  const run = { runId: 'r', agentName: 'a', agent: { tools: { mcp: {} } } } as unknown as RunDefinition;
  await listTools(
    { store, sandbox: { exec: async () => result } },
    run,
    { runId: 'r', epoch: 1 },
    new AbortController().signal,
  );
  return saved;
}

it('tools are listed once a run, and a server that fails ends it', async () => {
  expect(await list(ended(0, JSON.stringify([tool])))).toHaveLength(1);
  expect(await list(ended(0, JSON.stringify([tool])), [])).toEqual([]);
  await expect(list(ended(1, 'MCP server notes did not start: no key'))).rejects.toThrow(
    'agent a: MCP server notes did not start: no key',
  );
  await expect(list(ended(137, '', { timedOut: true }))).rejects.toThrow('no list of tools within 300 s');
  await expect(list({ kind: 'lost', why: 'restarted' })).rejects.toThrow('were lost');
});
