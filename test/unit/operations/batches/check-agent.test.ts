import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkAgent, checkMcpServers } from '../../../../operations/batches/check-agent.js';
import type { OutputParserName } from '../../../../domain/agent/parse-reply.js';
import { listModels, type LoadedAgent, loadAgent, loadTask, resolveModels } from '../../../../catalog/index.js';

const CONFIGS = join(import.meta.dirname, '../../../../configs');
const agentWith = (outputParser: OutputParserName): LoadedAgent => {
  const agent = loadAgent([CONFIGS], 'default');
  return { ...agent, config: { ...agent.config, outputParser } };
};
const models = (...names: string[]) => resolveModels([CONFIGS], names);

describe('an agent for scripted models', () => {
  it('is refused if it takes special commands only, before anything starts', () => {
    expect(() => checkAgent(agentWith('action'), models('scripted:baseline', 'scripted:optimum'))).toThrow(
      'scripted:optimum runs shell commands, but agent default accepts only its special commands (outputParser: action)',
    );
  });
  it('may take special commands only if the policy gives no others, or a real model plays', () => {
    expect(() => checkAgent(agentWith('action'), models('scripted:baseline', 'gpt-4o'))).not.toThrow();
  });
  it('must take shell commands where a task makes its baseline by one', () => {
    const task = loadTask([CONFIGS], 'blotto');
    const made = { spec: { ...task.spec, baseline: { command: 'python3 baseline.py' } } };
    expect(() => checkAgent(agentWith('action'), models('scripted:baseline'), [task])).not.toThrow();
    expect(() => checkAgent(agentWith('action'), models('scripted:baseline'), [made])).toThrow('runs shell commands');
    expect(() => checkAgent(agentWith('action'), models('scripted:oracle'), [task])).toThrow('runs shell commands');
  });
  it.each(['fenced', 'tool-calls', 'json', 'xml-thought-action', 'identity'] as const)('may read by %s', (parser) => {
    expect(() => checkAgent(agentWith(parser), models('scripted:clumsy'))).not.toThrow();
  });
});

describe('an agent with a server over HTTP', () => {
  const modern = loadAgent([CONFIGS], 'modern');
  const mcp = { papers: { url: 'https://mcp.example.test/mcp' }, notes: { command: ['x'] } };
  const agent = { ...modern, config: { ...modern.config, tools: { ...modern.config.tools, mcp } } };
  const { spec } = loadTask([CONFIGS], 'blotto');
  const check = (...networks: (typeof spec.network)[]) =>
    checkMcpServers(
      agent,
      networks.map((network) => ({ spec: { ...spec, network } })),
    );
  const allowing = (...allow: string[]) => ({ allow, allowPrivate: false });

  it('plays tasks whose network allows its host and port', () => {
    expect(() =>
      check(
        'open',
        allowing('pypi.test', 'mcp.example.test'),
        allowing('*.example.test'),
        allowing('mcp.example.test:443'),
      ),
    ).not.toThrow();
  });
  it.each([
    ['none'],
    [allowing('other.test')],
    [allowing('mcp.example.test:80')],
    [allowing('*.mcp.example.test')],
  ] as const)('is refused for a task with network %j', (network) => {
    expect(() => check('open', network)).toThrow(
      'agent modern calls MCP server papers at mcp.example.test:443, which the network of task blotto does not allow',
    );
  });
});

it.each(['default', 'modern'])('agent %s plays a model of each provider', (agent) => {
  const listed = listModels([CONFIGS], new Date()).models.map(({ name }) => name);
  const bundled = listed.filter((name) => !/[:<]/.test(name));
  expect(bundled).toContain('gemini-2.5-pro');
  expect(() => checkAgent(loadAgent([CONFIGS], agent), models(...bundled))).not.toThrow();
});
