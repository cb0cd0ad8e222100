import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BenchError } from '../../../domain/errors.js';
import { ConfigError, loadAgent, loadTask, resolveModels, selectTasks, validatePath } from '../../../catalog/index.js';
import { agentYaml, configs, taskYaml } from './fixtures.js';

function failure(act: () => unknown): BenchError {
  try {
    act();
  } catch (error) {
    if (error instanceof BenchError) return error;
    throw error;
  }
  throw new Error('expected a BenchError');
}

const brokenTask = (text: string, extra: Record<string, string> = {}): ConfigError => {
  const dir = configs({ 'tasks/coin/task.yaml': text, ...extra });
  const error = failure(() => loadTask([dir], 'coin'));
  expect(error).toBeInstanceOf(ConfigError);
  expect(error.exitCode).toBe(2);
  expect(error.message).toContain(join(dir, 'tasks/coin/task.yaml'));
  return error as ConfigError;
};

describe('a malformed task.yaml', () => {
  it('names the line of broken YAML', () => {
    const error = brokenTask(taskYaml.replace('name: Coin', 'name: "Coin'));
    expect(error.message).toMatch(/task\.yaml:\d+: not valid YAML/);
  });

  it('names the line and the key that occurs twice', () => {
    const error = brokenTask(`${taskYaml}primary: payoff\n`);
    expect(error.problems).toEqual([expect.objectContaining({ line: 19, key: 'primary' })]);
    expect(error.message).toContain('occurs twice');
  });

  it('names an unknown key, its line, and the key that was probably meant', () => {
    const error = brokenTask(taskYaml.replace('    direction: maximize', '    directon: maximize'));
    expect(error.problems).toContainEqual(
      expect.objectContaining({
        line: 9,
        key: 'metrics.payoff.directon',
        message: 'unknown key; did you mean direction?',
      }),
    );
    expect(error.problems).toContainEqual(
      expect.objectContaining({
        line: 8,
        key: 'metrics.payoff.direction',
        message: expect.stringContaining('is missing') as string,
      }),
    );
  });

  it('names an unknown key inside a key that has defaults', () => {
    const error = brokenTask(`${taskYaml}limits:\n  memoryMB: 100\n`);
    expect(error.message).toContain('task.yaml:20: limits.memoryMB: unknown key; did you mean memoryMb?');
  });

  it('says what was expected and what was found for a wrong type', () => {
    const error = brokenTask(taskYaml.replace('contract: 1', 'contract: one'));
    expect(error.problems).toEqual([
      { file: expect.any(String) as string, line: 4, key: 'contract', message: 'expected number, found string' },
    ]);
  });

  it('proposes the nearest of a fixed set of values', () => {
    const error = brokenTask(taskYaml.replace('maximize', 'maximise'));
    expect(error.message).toContain('did you mean maximize?');
  });

  it('reports all problems at once, in the order of the file', () => {
    const error = brokenTask(taskYaml.replace('contract: 1', 'contract: one').replace('name: Coin\n', ''));
    expect(error.problems.map((p) => p.key)).toEqual(['name', 'contract']);
  });

  it('refuses a primary metric that is not declared', () => {
    const error = brokenTask(taskYaml.replace('primary: payoff', 'primary: score'));
    expect(error.problems).toEqual([expect.objectContaining({ line: 12, key: 'primary' })]);
  });

  it('refuses an id that differs from the folder', () => {
    expect(brokenTask(taskYaml.replace('id: coin', 'id: dice')).problems[0]).toMatchObject({ line: 2, key: 'id' });
  });

  it('refuses a description with an unknown template variable', () => {
    const error = brokenTask(taskYaml.replace('commandSeconds', 'comandSeconds'));
    expect(error.problems).toEqual([expect.objectContaining({ line: 6, key: 'description' })]);
  });

  it('refuses a path that leaves the folder', () => {
    const error = brokenTask(taskYaml.replace('strategy.py', '../strategy.py'));
    expect(error.problems[0]).toMatchObject({ line: 14, key: 'submission.files.0' });
  });

  describe('whose evaluator or submission', () => {
    const evaluator = 'evaluator:\n  kind: game\n  module: strategy\n  function: play\n';
    const withEvaluator = (text: string): string => taskYaml.replace(evaluator, `evaluator:\n${text}`);

    it('has an unknown kind: the kinds are named', () => {
      const error = brokenTask(withEvaluator('  kind: csv\n'));
      expect(error.problems).toEqual([expect.objectContaining({ line: 16, key: 'evaluator.kind' })]);
      expect(error.message).toMatch(/game.*data.*program/);
    });

    it('has a key of another kind: the keys of this kind are named', () => {
      const error = brokenTask(withEvaluator('  kind: data\n  module: strategy\n'));
      expect(error.problems).toEqual([
        expect.objectContaining({
          line: 17,
          key: 'evaluator.module',
          message: expect.stringContaining('unknown key') as string,
        }),
      ]);
      expect(error.message).toContain('refereeMemoryMb');
      expect(error.message).not.toContain('outputs');
    });

    it('runs a script that nobody provides, or two do', () => {
      const program = withEvaluator('  kind: program\n  script: predict.py\n  outputs: [predictions.csv]\n');
      expect(brokenTask(program).problems).toEqual([
        expect.objectContaining({
          line: 17,
          key: 'evaluator.script',
          message: expect.stringContaining('evaluator/player/predict.py') as string,
        }),
      ]);
      const twice = program.replace('script: predict.py', 'script: strategy.py');
      expect(brokenTask(twice, { 'tasks/coin/evaluator/player/strategy.py': '' }).message).toContain('remove one');
    });

    it('writes no output', () => {
      const error = brokenTask(withEvaluator('  kind: program\n  script: strategy.py\n  outputs: []\n'));
      expect(error.problems).toEqual([expect.objectContaining({ line: 18, key: 'evaluator.outputs' })]);
    });

    it('names nothing to take', () => {
      const error = brokenTask(taskYaml.replace('files: [strategy.py]', 'optional: [strategy.py]'));
      expect(error.problems).toContainEqual(expect.objectContaining({ key: 'submission.files' }));
    });

    it('has splits without test, or inputs for some only', () => {
      expect(brokenTask(`${taskYaml}splits: [validation]\n`).message).toContain('needs test');
      expect(brokenTask(`${taskYaml}splits: [validation, train]\n`).problems[0]).toMatchObject({ key: 'splits.1' });
      const half = { 'tasks/coin/evaluator/inputs/test/a.csv': '' };
      expect(brokenTask(`${taskYaml}splits: [validation, test]\n`, half).message).toContain(
        'evaluator/inputs/validation/',
      );
    });
  });

  it.each(['', '# only a comment\n', '[]', 'text'])('refuses content that is no mapping: %j', (text) => {
    expect(brokenTask(text).message).toMatch(/empty|expected object/);
  });
});

describe('a malformed agent', () => {
  const brokenAgent = (text: string): ConfigError => {
    const dir = configs({ 'agents/plain.yaml': text });
    const error = failure(() => loadAgent([dir], 'plain'));
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.message).toContain(join(dir, 'agents/plain.yaml'));
    return error as ConfigError;
  };

  it('names an alias without an anchor', () => {
    const error = brokenAgent(agentYaml.replace(/^systemTemplate:.*$/m, 'systemTemplate: *bold'));
    expect(error.message).toContain('the alias *bold has no anchor &bold before it');
  });

  it('names the template with an unknown variable and the variables that exist', () => {
    const error = brokenAgent(agentYaml.replace('{{ workspace }}', '{{ workspce }}'));
    expect(error.problems).toEqual([expect.objectContaining({ line: 3, key: 'systemTemplate' })]);
    expect(error.message).toContain('workspace');
  });

  it('finds an unknown variable that only a blank observation reaches', () => {
    const error = brokenAgent(
      agentYaml.replace('{{ observation }}', '{% if not observation %}{{ nothing }}{% endif %}'),
    );
    expect(error.problems).toEqual([expect.objectContaining({ line: 5, key: 'nextStepTemplate' })]);
  });

  it('names the template with a syntax error', () => {
    const error = brokenAgent(agentYaml.replace('{{ problem }}', '{% if problem %}'));
    expect(error.problems).toEqual([expect.objectContaining({ line: 6, key: 'formatErrorTemplate' })]);
  });

  it('knows the difference between an unknown parser and a missing one', () => {
    expect(brokenAgent(`${agentYaml}outputParser: fence\n`).message).toContain('did you mean fenced?');
  });
});

describe('unknown names', () => {
  it('proposes the task that was probably meant and lists all', () => {
    const error = failure(() => loadTask([configs()], 'con'));
    expect(error).toMatchObject({ type: 'usage', exitCode: 2 });
    expect(error.remedy).toBe('Did you mean coin? There are: coin.');
  });

  it('lists tasks and suites for --tasks', () => {
    const dir = configs({ 'suites/small.yaml': 'schema: 1\ndescription: few\ntasks: [coin]\n' });
    expect(failure(() => selectTasks([dir], ['smal'])).remedy).toContain('Did you mean small?');
  });

  it('names the line of a suite that holds an unknown task', () => {
    const dir = configs({ 'suites/small.yaml': 'schema: 1\ndescription: few\ntasks:\n  - coin\n  - dice\n' });
    expect(failure(() => selectTasks([dir], ['small'])).message).toContain('small.yaml:5: tasks.1');
  });

  it('lists the models that exist', () => {
    for (const name of ['gpt-4o', 'scripted:nobody', 'openai:gpt', 'scripted:baseline:3', '']) {
      const error = failure(() => resolveModels([configs()], [name]));
      expect(error.exitCode).toBe(2);
      expect(error.remedy).toContain('scripted:baseline');
    }
    expect(failure(() => resolveModels([configs()], ['baselin'])).remedy).toContain('Did you mean scripted:baseline?');
  });

  it('refuses a model that is named twice', () => {
    expect(failure(() => resolveModels([configs()], ['scripted:slow', 'scripted:slow'])).remedy).toContain(
      'raise the attempts',
    );
  });

  it('reports each broken file of a configs folder, and passes the good ones', () => {
    const dir = configs({ 'agents/broken.yaml': 'schema: 2\n', 'tasks/empty/README.md': 'no task here' });
    const files = validatePath(dir);
    expect(files.map((f) => [f.kind, f.problems.length > 0])).toEqual([
      ['agent', true],
      ['agent', false],
      ['task', false],
      ['task', true],
    ]);
  });
});
