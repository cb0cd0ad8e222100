import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { loadAgentFile } from '../../../catalog/agents.js';
import { ConfigError } from '../../../catalog/config-error.js';
import { checkAgent, refuseProgramsOnLocal } from '../../../operations/batches/check-agent.js';
import type { ModelRef } from '../../../domain/model/model.js';

const folder = mkdtempSync(join(tmpdir(), 'bench-programs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const GOOD = {
  ...{
    schema: 1,
    kind: 'program',
    description: 'p',
    client: 'openai-chat',
    command: 'play',
    taskTemplate: '{{ task.name }}',
  },
};
function load(more: Record<string, unknown> = {}) {
  const file = join(folder, 'p.yaml');
  const lines = Object.entries({ ...GOOD, ...more }).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  writeFileSync(file, lines.join('\n'));
  return loadAgentFile(file, 'p');
}
const problemsOf = (more: Record<string, unknown>): string[] => {
  try {
    load(more);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ key, message }) => `${key}: ${message}`);
  }
};

it('a program file is an agent whose task template is what the program is asked', () => {
  const { config } = load();
  expect(config.program).toMatchObject({ client: 'openai-chat', otherModels: 'refuse', callsInFlight: 10 });
  expect(config.taskTemplate).toBe('{{ task.name }}');
});

it.each([
  [{ client: 'grpc' }, 'client: expected openai-chat or openai-responses or anthropic or gemini, found "grpc"'],
  [{ install: { pip: ['mini'] } }, 'install.pip.0: a Python package: name==version, found "mini"'],
  [
    { install: { npm: ['claude@latest'] } },
    'install.npm.0: an npm package with its version: name@1.2.3, found "claude@latest"',
  ],
  [{ install: { folder: 'here' } }, 'install.folder: an absolute path, found "here"'],
  [{ install: { npm: ['a@1.0.0'], folder: '/a' } }, 'install: name npm or folder, not both'],
  [{ comand: 'play' }, 'comand: unknown key; did you mean command?'],
  [{ taskTemplate: '{{ tsk }}' }, 'taskTemplate: unknown variable tsk; did you mean task?'],
])('%j is refused at its key', (more, problem) => {
  expect(problemsOf(more).join('\n')).toContain(problem);
});

const model = (provider: string, kind: ModelRef['kind'] = 'real'): ModelRef => ({
  name: 'm',
  kind,
  provider,
  model: 'm',
});

it('a model of another wire, a scripted one, a missing folder and the local backend are refused in a sentence', () => {
  const agent = load();
  expect(() => checkAgent(agent, [model('openai-compatible')])).not.toThrow();
  expect(() => checkAgent(agent, [model('anthropic')])).toThrow('speaks openai-chat, and m is a model of anthropic');
  expect(() => checkAgent(agent, [model('scripted', 'scripted')])).toThrow('needs a paid model, and m is scripted');
  const missing = load({ install: { folder: '/nowhere/at/all' } });
  expect(() => checkAgent(missing, [model('openai')])).toThrow('install.folder /nowhere/at/all does not exist');
  expect(() => refuseProgramsOnLocal([agent], 'local')).toThrow('runs only in a container');
  expect(() => refuseProgramsOnLocal([agent], 'docker')).not.toThrow();
});

it.each([
  ...[
    'aide',
    'aider',
    'claude-code',
    'cline',
    'codex',
    'gemini-cli',
    'mini-swe-agent',
    'opencode',
    'openhands',
    'qwen-code',
  ],
])('%s, as shipped, is sound', (name) => {
  const file = resolve(import.meta.dirname, '../../../configs/agents', `${name}.yaml`);
  expect(loadAgentFile(file, name).config.program).toBeDefined();
});
