import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, listAgents, loadAgent } from '../../../catalog/index.js';
import { agentYaml, configs, folder } from './fixtures.js';

const bundled = join(import.meta.dirname, '../../../configs');

function problemsOf(yaml: string, files: Record<string, string> = {}): string[] {
  try {
    loadAgent([folder({ 'agents/plain.yaml': yaml, ...files })], 'plain');
  } catch (error) {
    if (error instanceof ConfigError)
      return error.problems.map(({ line, key, message }) => `${line}: ${key}: ${message}`);
    throw error;
  }
  return [];
}
const config = (yaml: string) => loadAgent([configs({ 'agents/plain.yaml': yaml })], 'plain').config;

describe('bundled agents', () => {
  it('are all usable', () =>
    expect(listAgents([bundled]).agents.map(({ name, config: { outputParser } }) => [name, outputParser])).toEqual([
      ['aide', 'fenced'],
      ['aider', 'fenced'],
      ['bash-only', 'fenced'],
      ['claude-code', 'fenced'],
      ['cline', 'fenced'],
      ['codex', 'fenced'],
      ['default', 'fenced'],
      ['default-gpu-info', 'fenced'],
      ['default-literature', 'fenced'],
      ['default-memory', 'fenced'],
      ['episode', 'fenced'],
      ['gemini-cli', 'fenced'],
      ['mini-swe-agent', 'fenced'],
      ['mlgym', 'mlgym-thought-action'],
      ['modern', 'several-tool-calls'],
      ['opencode', 'fenced'],
      ['openhands', 'fenced'],
      ['plain', 'fenced'],
      ['qwen-code', 'fenced'],
      ['search-evolution', 'fenced'],
      ['search-greedy', 'fenced'],
      ['search-mcts', 'fenced'],
      ['tool-calling', 'tool-calls'],
    ]));
});

describe('an agent file', () => {
  it('takes the names that the field uses for parsers, processors and documentation', () => {
    const names =
      'outputParser: MLGymThoughtActionParser\nhistoryProcessor: Last5Observations\ntools: { documentation: ParseCommandDetailed }\n';
    expect(config(agentYaml + names)).toMatchObject({
      outputParser: 'mlgym-thought-action',
      historyProcessor: 'last-5-observations',
      tools: { documentation: 'detailed' },
    });
  });
  it('gives equal hashes to the field’s name and to ours', () => {
    const hash = (name: string) =>
      loadAgent([configs({ 'agents/plain.yaml': `${agentYaml}outputParser: ${name}\n` })], 'plain').hash;
    expect(hash('Identity')).toBe(hash('identity'));
  });
  it('takes its demonstrations in', () => {
    const traj = JSON.stringify({ history: [{ role: 'user', content: 'hello' }] });
    const yaml = `${agentYaml}demonstrations: [demos/a.traj]\nputDemosInHistory: true\n`;
    expect(
      loadAgent([configs({ 'agents/plain.yaml': yaml, 'agents/demos/a.traj': traj })], 'plain').config.demonstrations,
    ).toEqual([{ source: 'demos/a.traj', messages: [{ role: 'user', content: 'hello' }] }]);
  });
});

describe('files of commands', () => {
  const commandsYaml = (name: string) => `schema: 1
description: commands
commands:
  - name: ${name}
    docstring: |-
      Do ${name} in {{ workspace }},
      {{ WIDTH }} columns.
`;
  const tools = (files: string, more = '') => `${agentYaml}tools:\n  commandFiles: [${files}]\n${more}`;
  const files = { 'commands/a.yaml': commandsYaml('first'), 'commands/b.yaml': commandsYaml('second') };
  const load = (yaml: string, more: Record<string, string> = {}) =>
    loadAgent([configs({ 'agents/plain.yaml': yaml, ...files, ...more })], 'plain');
  const width = '  environment: { WIDTH: 80 }\n';

  it('are part of the agent, in their order and before its own commands', () => {
    const own = `${width}  commands: [{ name: third, docstring: Third. }]\n`;
    const { config: read } = load(tools('../commands/b.yaml, ../commands/a.yaml', own));
    expect(read.tools.commands.map(({ name }) => name)).toEqual(['second', 'first', 'third']);
    expect(read.tools.environment).toEqual({ WIDTH: '80' });
    expect(Object.keys(read.tools)).not.toContain('commandFiles');
  });
  it('stand in the place of the default commands', () =>
    expect(load(tools('../commands/a.yaml', width)).config.tools.commands).toHaveLength(1));
  it('are part of the hash', () => {
    const hash = (text: string) => load(tools('../commands/a.yaml', width), { 'commands/a.yaml': text }).hash;
    expect(hash(commandsYaml('first'))).not.toBe(hash(commandsYaml('other')));
  });

  const problems = (yaml: string, more: Record<string, string> = {}) => {
    try {
      load(yaml, more);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return error.problems.map(({ file, line, key, message }) => `${basename(file)}:${line}: ${key}: ${message}`);
    }
    return [];
  };
  it.each<[string, string, Record<string, string>, RegExp]>([
    [
      'a file that is not there',
      tools('../commands/c.yaml'),
      {},
      /^plain\.yaml:8: tools\.commandFiles\.0: \.\.\/commands\/c\.yaml: there is no such file/,
    ],
    [
      'a command that two files have',
      tools('../commands/a.yaml, ../commands/b.yaml', width),
      { 'commands/b.yaml': commandsYaml('first') },
      /^b\.yaml:4: commands\.0\.name: first is already in \.\.\/commands\/a\.yaml/,
    ],
    [
      'a command of a file that the agent has too',
      tools('../commands/a.yaml', `${width}  commands: [{ name: first, docstring: First. }]\n`),
      {},
      /^plain\.yaml:10: tools\.commands\.0\.name: first is already in \.\.\/commands\/a\.yaml/,
    ],
    [
      'a command that a file has twice',
      tools('../commands/a.yaml', width),
      { 'commands/a.yaml': `${commandsYaml('first')}  - { name: first, docstring: Again. }\n` },
      /^a\.yaml:8: commands\.1\.name: first is there twice/,
    ],
    [
      'an unknown key of a file',
      tools('../commands/a.yaml', width),
      { 'commands/a.yaml': `${commandsYaml('first')}    argument: []\n` },
      /^a\.yaml:8: commands\.0\.argument: unknown key; did you mean arguments\?/,
    ],
    [
      'an unknown variable in the text of a command',
      tools('../commands/a.yaml'),
      {},
      /^a\.yaml:7: .*docstring: unknown variable WIDTH/,
    ],
    [
      'an environment that the sandbox sets',
      tools('', '  environment: { PATH: /x }\n'),
      {},
      /^plain\.yaml:9: tools\.environment\.PATH: /,
    ],
    [
      'a variable that the environment has',
      `${tools('', '  environment: { WIDTH: 1 }\n')}variables: { WIDTH: 2 }\n`,
      {},
      /^plain\.yaml:10: variables\.WIDTH: the same name is in tools\.environment/,
    ],
  ])('%s is named with its file and line', (_, yaml, more, message) =>
    expect(problems(yaml, more)).toEqual([expect.stringMatching(message)]),
  );
});

describe('the agents with an editor', () => {
  const lines = (name: string) => loadAgent([bundled], name).config.systemTemplate.split('\n');
  it.each(['default-gpu-info', 'default-memory', 'default-literature'])(
    '%s says all that the default one says',
    (name) => expect(lines(name)).toEqual(expect.arrayContaining(lines('default'))),
  );
});

describe('a mistake in an agent file', () => {
  it.each<[string, string, RegExp]>([
    ['an unknown key', 'strategyTemplat: x\n', /^7: strategyTemplat: unknown key; did you mean strategyTemplate\?/],
    [
      'an unknown key of tools',
      'tools:\n  documentations: compact\n',
      /^8: tools\.documentations: unknown key; did you mean documentation\?/,
    ],
    [
      'an unknown parser',
      'outputParser: xml\n',
      /^7: outputParser: expected fenced or tool-calls or .* did you mean xml-thought-action\?/,
    ],
    ['an unknown processor', 'historyProcessor: Last3Observations\n', /^7: historyProcessor: expected default or/],
    [
      'n = 0',
      'historyProcessor: last-n-observations\nhistoryProcessorArgs:\n  n: 0\n',
      /^9: historyProcessorArgs\.n: too small/,
    ],
    ['no n', 'historyProcessor: LastNObservations\n', /historyProcessorArgs\.n: last-n-observations needs n/],
    [
      'an argument that is not taken',
      'historyProcessorArgs:\n  tokens: 5\n',
      /^8: historyProcessorArgs\.tokens: default takes no tokens/,
    ],
    [
      'demonstrations without a template',
      'demonstrations: [a.traj]\n',
      /^7: demonstrations: demonstrations need a demonstrationTemplate/,
    ],
    [
      'a demonstration that is not there',
      'demonstrations:\n  - a.traj\nputDemosInHistory: true\n',
      /^8: demonstrations\.0: a\.traj cannot be read \(ENOENT\)/,
    ],
    ['a variable that exists already', 'variables:\n  observation: 1\n', /^8: variables\.observation: /],
    ['a blocked word of two words', 'blocklist: [git push]\n', /^7: blocklist\.0: one word each/],
    [
      'a command that is there twice',
      'tools:\n  commands:\n    - { name: a, docstring: x }\n    - { name: a, docstring: y }\n',
      /^10: tools\.commands\.1\.name: a is there twice/,
    ],
    [
      'a command called bash',
      'tools:\n  commands:\n    - { name: bash, docstring: x }\n',
      /^9: tools\.commands\.0\.name: bash is always there/,
    ],
    [
      'an unknown variable in the text of a command',
      'tools:\n  commands:\n    - name: a\n      docstring: "{{ windw }}"\nvariables: { window: 5 }\n',
      /^10: tools\.commands\.0\.docstring: unknown variable windw; did you mean window\?/,
    ],
    [
      'an unknown variable in a strategy',
      'strategyTemplate: "{{ observatio }}"\n',
      /^7: strategyTemplate: unknown variable observatio; did you mean observation\?/,
    ],
    [
      'the problem in a template that has none',
      'nextStepNoOutputTemplate: "{{ problem }}"\n',
      /^7: nextStepNoOutputTemplate: unknown variable problem/,
    ],
    [
      'an unknown variable of a refusal',
      'blocklistErrorTemplate: "{{ comand }}"\n',
      /^7: blocklistErrorTemplate: unknown variable comand; did you mean command\?/,
    ],
    [
      'an unknown key of the task',
      'strategyTemplate: "{{ task.limits.commandSecond }}"\n',
      /^7: strategyTemplate: unknown variable task\.limits\.commandSecond; did you mean commandSeconds\?/,
    ],
    ['an unknown filter', 'strategyTemplate: "{{ workspace | upcase }}"\n', /^7: strategyTemplate: .*upcase/],
  ])('%s is named with its line', (_, text, problem) => {
    expect(problemsOf(agentYaml + text)).toEqual([expect.stringMatching(problem)]);
  });

  it('names the line within a template of several lines, also in a branch that no sample reaches', () => {
    const yaml = `${agentYaml}strategyTemplate: |\n  First.\n  {% if currentStep > 1000 %}\n  {{ nobody }}\n  {% endif %}\n`;
    expect(problemsOf(yaml)).toEqual([
      expect.stringMatching(/^10: strategyTemplate: unknown variable nobody; variables here: /),
    ]);
  });
  it('names the line of a syntax error', () => {
    const yaml = `${agentYaml}strategyTemplate: |\n  First.\n  {{ currentStep | }}\n`;
    expect(problemsOf(yaml)).toEqual([expect.stringMatching(/^9: strategyTemplate: template strategyTemplate: /)]);
  });
  it('reports all of them at once, in the order of the file', () => {
    const yaml = agentYaml.replace('{{ workspace }}', '{{ a1 }} {{ a2 }}').replace('{{ observation }}', '{{ a3 }}');
    expect(problemsOf(yaml).map((problem) => problem.slice(0, 2))).toEqual(['3:', '3:', '5:']);
  });
});
