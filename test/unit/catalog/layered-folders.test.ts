import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  configEntries,
  listAgents,
  listModels,
  listTasks,
  loadAgent,
  loadTask,
  modelVariables,
  resolveModels,
  selectTaskIds,
  selectTasks,
  validateFolders,
  validatePath,
} from '../../../catalog/index.js';
import { BenchError } from '../../../domain/errors.js';
import { agentYaml, configs, folder, taskYaml } from './fixtures.js';

const taskFiles = (id: string, name: string): Record<string, string> => ({
  [`tasks/${id}/task.yaml`]: taskYaml.replace('id: coin', `id: ${id}`).replace('name: Coin', `name: ${name}`),
  [`tasks/${id}/starter/strategy.py`]: 'def play():\n    return 0\n',
  [`tasks/${id}/evaluator/referee.py`]: 'secret = 1\n',
});
const modelYaml = (provider: string, more = ''): string => `schema: 1
description: a model
provider: openai
model: ${provider}
apiKeyVariable: LAB_KEY
contextWindow: 1000
maxOutputTokens: 100
${more}prices:
  - { from: 2025-01-01, input: 2.50, output: 10 }
`;
const suite = (...tasks: string[]): string => `schema: 1\ndescription: few\ntasks: [${tasks.join(', ')}]\n`;

/** The bundled folder of these tests, and a user's over it. */
const layers = (own: Record<string, string>, bundled: Record<string, string> = {}): [string, string] => [
  folder(own),
  configs(bundled),
];
const later = new Date('2026-01-01');

function failure(act: () => unknown): BenchError {
  try {
    act();
  } catch (error) {
    if (error instanceof BenchError) return error;
    throw error;
  }
  throw new Error('expected a BenchError');
}

describe('the fallback of a model', () => {
  const resolved = (own: Record<string, string>, allowUnpriced = false) =>
    resolveModels(layers(own), ['strict'], { allowUnpriced })[0]?.config?.fallback;
  const strict = (more: string) => ({ 'models/strict.yaml': modelYaml('strict-1', more) });
  it('is kept with its file, without a fallback of its own, by any of its names', () => {
    const lenient = { 'models/lenient.yaml': modelYaml('lenient-1', 'aliases: [easy]\nfallback: strict\n') };
    const found = resolved({ ...strict('fallback: easy\n'), ...lenient });
    expect(found).toMatchObject({ name: 'lenient', config: { model: 'lenient-1' } });
    expect(found).not.toHaveProperty('config.fallback');
  });
  it('is refused where it has no file, is the model itself, or has no price', () => {
    expect(failure(() => resolved(strict('fallback: nobody\n'))).message).toMatch(
      /strict\.yaml: fallback: there is no model file nobody$/,
    );
    expect(failure(() => resolved(strict('aliases: [me]\nfallback: me\n'))).message).toMatch(/its own fallback$/);
    const free = { 'models/free.yaml': modelYaml('free-1').replace(/prices:[\s\S]*/, '') };
    expect(failure(() => resolved({ ...strict('fallback: free\n'), ...free })).message).toBe('model free has no price');
    expect(resolved({ ...strict('fallback: free\n'), ...free }, true)).toMatchObject({ name: 'free' });
  });
});

describe('a folder over another', () => {
  it('adds entries, and replaces those of the same name', () => {
    const folders = layers({
      ...taskFiles('coin', 'Our coin'),
      ...taskFiles('dice', 'Dice'),
      'agents/plain.yml': agentYaml.replace('an agent', 'our agent'),
      'suites/ours.yaml': suite('dice', 'coin'),
    });
    expect(listTasks(folders).tasks.map(({ task }) => task.spec.name)).toEqual(['Our coin', 'Dice']);
    expect(loadAgent(folders, 'plain').config.description).toBe('our agent');
    expect(selectTasks(folders, ['ours']).map(({ spec }) => spec.name)).toEqual(['Dice', 'Our coin']);
    expect(configEntries(folders, 'agents')).toEqual([
      {
        name: 'plain',
        file: join(folders[0], 'agents/plain.yml'),
        folder: folders[0],
        replaces: join(folders[1], 'agents/plain.yaml'),
      },
    ]);
  });

  it('replaces what the suites below it name', () => {
    const folders = layers(taskFiles('coin', 'Our coin'), { 'suites/small.yaml': suite('coin') });
    expect(selectTasks(folders, ['small']).map(({ spec }) => spec.name)).toEqual(['Our coin']);
  });

  it('need not exist, nor have anything', () => {
    const below = configs();
    for (const own of [join(below, 'nowhere'), folder({ 'README.md': 'nothing yet' })])
      expect(selectTaskIds([own, below], ['all'])).toEqual(['coin']);
  });

  it('has agents that use the commands of the folder below, unless it has its own', () => {
    const command = (docstring: string): string =>
      `schema: 1\ndescription: a command\ncommands:\n  - { name: look, signature: look, docstring: ${docstring} }\n`;
    const own = { 'agents/ours.yaml': `${agentYaml}tools:\n  commandFiles: [../commands/look.yaml]\n` };
    const below = {
      'commands/look.yaml': command('as bundled'),
      'agents/theirs.yaml': own['agents/ours.yaml'],
    };
    const docs = (folders: string[], agent: string) =>
      loadAgent(folders, agent).config.tools.commands.map(({ docstring }) => docstring);
    expect(docs(layers(own, below), 'ours')).toEqual(['as bundled']);
    const both = layers({ ...own, 'commands/look.yaml': command('as ours') }, below);
    expect(docs(both, 'ours')).toEqual(['as ours']);
    expect(docs(both, 'theirs')).toEqual(['as bundled']);
    expect(validatePath(join(both[0], 'agents'), both)[0]?.problems).toEqual([]);
  });

  it('gives a name of models to the upper one, be it a file or an alias', () => {
    const folders = layers(
      { 'models/big.yaml': modelYaml('ours', 'aliases: [fast, other]\n') },
      {
        'models/big.yaml': modelYaml('big'),
        'models/fast.yaml': modelYaml('fast', 'aliases: [quick]\n'),
        'models/small.yaml': modelYaml('small', 'aliases: [other, tiny]\n'),
      },
    );
    const names = ['big', 'fast', 'other', 'small', 'tiny'];
    expect(resolveModels(folders, names).map(({ model }) => model)).toEqual(['ours', 'ours', 'ours', 'small', 'small']);
    expect(failure(() => resolveModels(folders, ['quick'])).message).toBe('no model "quick"');
    const real = listModels(folders, later).models.filter(({ kind }) => kind === 'real');
    expect(real.map(({ name, aliases }) => [name, ...aliases])).toEqual([
      ['big', 'fast', 'other'],
      ['small', 'tiny'],
    ]);
  });
});

describe('a broken file', () => {
  const broken = {
    'tasks/coin/task.yaml': taskYaml.replace('contract: 1', 'contract: one'),
    'agents/plain.yaml': agentYaml.replace('{{ workspace }}', '{{ workspce }}'),
    'suites/ours.yaml': suite('coin', 'nothing'),
    'models/big.yaml': modelYaml('ours', 'aliases: [fast]\ncontxt: 1\n'),
  };
  const below = {
    ...taskFiles('dice', 'Dice'),
    'agents/other.yaml': agentYaml,
    'suites/small.yaml': suite('dice'),
    'models/fast.yaml': modelYaml('fast'),
    'models/small.yaml': modelYaml('small'),
  };

  it('disables itself alone', () => {
    const folders = layers(broken, below);
    const tasks = listTasks(folders);
    expect(tasks.tasks.map(({ entry }) => entry.name)).toEqual(['dice']);
    expect(tasks.broken).toEqual([
      {
        file: join(folders[0], 'tasks/coin/task.yaml'),
        kind: 'task',
        problems: [expect.objectContaining({ line: 4, key: 'contract' })],
      },
    ]);
    expect(listAgents(folders).agents.map(({ name }) => name)).toEqual(['other']);
    expect(listAgents(folders).broken[0]?.problems).toEqual([
      expect.objectContaining({ line: 3, key: 'systemTemplate' }),
    ]);
    expect(selectTasks(folders, ['small']).map(({ spec }) => spec.id)).toEqual(['dice']);
    expect(resolveModels(folders, ['small', 'scripted:slow'])).toHaveLength(2);
    expect(modelVariables(folders).keys).toEqual(['LAB_KEY']);
  });

  it('is an error where it is asked for by name: nothing else takes its place', () => {
    const folders = layers(broken, below);
    for (const [act, file, at] of [
      [() => loadTask(folders, 'coin'), 'tasks/coin/task.yaml', ':4: contract: '],
      [() => selectTasks(folders, ['coin']), 'tasks/coin/task.yaml', ':4: contract: '],
      [() => loadAgent(folders, 'plain'), 'agents/plain.yaml', ':3: systemTemplate: '],
      [() => selectTasks(folders, ['ours']), 'suites/ours.yaml', ':3: tasks.1: '],
      [() => resolveModels(folders, ['big']), 'models/big.yaml', ':9: contxt: unknown key; known keys: '],
      [() => resolveModels(folders, ['fast']), 'models/big.yaml', ':9: contxt: '],
    ] as const) {
      const error = failure(act);
      expect(error).toMatchObject({ type: 'usage', exitCode: 2 });
      expect(error.message).toContain(`${join(folders[0], file)}${at}`);
      expect(error.remedy).toContain('bench validate-config');
    }
    expect(failure(() => loadTask(folders, 'coin')).remedy).toContain(
      `Without it, ${join(folders[1], 'tasks/coin/task.yaml')} is used.`,
    );
  });

  it('is left out of `all`, which tells it, but not of what names it', () => {
    const folders = layers({ ...broken, 'suites/both.yaml': suite('coin', 'dice') }, below);
    const told: string[] = [];
    const taken = selectTasks(folders, ['all'], ({ file }) => told.push(file));
    expect(taken.map(({ spec }) => spec.id)).toEqual(['dice']);
    expect(told).toEqual([join(folders[0], 'tasks/coin/task.yaml')]);
    expect(failure(() => selectTasks(folders, ['all', 'both'])).message).toContain('contract');
    // A leaderboard needs its id alone.
    expect(selectTaskIds(folders, ['both'])).toEqual(['coin', 'dice']);
  });

  it('is named by the check of all folders, whatever kind it is', () => {
    const folders = layers(
      {
        ...broken,
        'tasks/half/README.md': 'to do',
        'commands/look.yaml': 'schema: 1\n',
        'models/tied.yaml': modelYaml('x', 'aliases: [knot]\n'),
        'models/untied.yaml': modelYaml('x', 'aliases: [knot]\n'),
      },
      below,
    );
    const bad = validateFolders(folders).filter(({ problems }) => problems.length > 0);
    expect(bad.map(({ file, problems: [first] }) => [file.slice(folders[0].length + 1), first?.line])).toEqual([
      ['agents/plain.yaml', 3],
      ['commands/look.yaml', 1],
      ['models/big.yaml', 9],
      ['models/untied.yaml', 8],
      ['suites/ours.yaml', 3],
      ['tasks/coin/task.yaml', 4],
      ['tasks/half/task.yaml', null],
    ]);
  });

  it('may be one that is no text, holds a link, or is a folder', () => {
    const own = folder({ 'agents/plain.yaml/x': '', ...taskFiles('dice', 'Dice') });
    const folders = [own, configs()];
    writeFileSync(join(own, 'tasks/dice/task.yaml'), Buffer.from([0xff, 0xfe, 0x00, 0x01]));
    mkdirSync(join(own, 'tasks/coin'));
    expect(listTasks(folders).tasks.map(({ entry }) => entry.name)).toEqual(['coin']);
    expect(listAgents(folders)).toMatchObject({
      agents: [],
      broken: [{ problems: [{ message: 'is a folder, not a file', line: null }] }],
    });
  });

  it('may be the folder itself', () => {
    const below = configs();
    const own = join(folder({ configs: 'a file' }), 'configs');
    expect(validateFolders([own, below])[0]).toEqual({
      file: own,
      kind: 'folder',
      problems: [{ file: own, line: null, key: '', message: 'is a file, not a folder' }],
    });
    expect(modelVariables([own, below])).toEqual({ keys: [], addresses: [] });
    expect(failure(() => loadAgent([own, below], 'plain'))).toMatchObject({ exitCode: 2 });
  });
});
