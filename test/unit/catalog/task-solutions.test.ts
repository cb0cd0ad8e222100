import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { validatePath } from '../../../catalog/index.js';
import { configs, taskYaml } from './fixtures.js';

/** Problems of the task `coin` with these lines and files. */
function problemsOf(text: string, files: Record<string, string> = {}, folders: string[] = []) {
  const dir = configs({
    'tasks/coin/task.yaml': `${taskYaml}${text}`,
    ...Object.fromEntries(Object.entries(files).map(([path, content]) => [`tasks/coin/${path}`, content])),
  });
  for (const folder of folders) mkdirSync(join(dir, 'tasks', 'coin', folder), { recursive: true });
  return validatePath(join(dir, 'tasks', 'coin')).flatMap((file) => file.problems);
}
const DATA = 'data: { agent: [data], hidden: [labels.csv] }\n';
const PREPARE = { 'prepare.py': 'def prepare(data): ...\n' };
const SECRET = 'id,label\n1,0\n2,1\n3,0\n';

describe('a task whose', () => {
  it('baseline runs a script that is not there is refused, at its line', () => {
    const line = 'baseline: { command: "OMP_NUM_THREADS=1 python3 -u baseline.py --fast" }\n';
    expect(problemsOf(line)).toMatchObject([
      { line: 19, key: 'baseline.command', message: 'runs baseline.py, but there is no starter/baseline.py' },
    ]);
    expect(problemsOf(line, { 'starter/baseline.py': '' })).toEqual([]);
    expect(problemsOf(`${DATA}baseline: { command: python3 data/make.py }\n`, PREPARE)).toEqual([]);
  });

  it('target is no better than its baseline is refused; a number holds on sample data too', () => {
    const baseline = 'baseline: { value: 0.5, standardError: 0, sample: { value: 0.7, standardError: 0 } }\n';
    expect(problemsOf(`${baseline}target: { value: 0.5, sample: 0.9 }\n`)).toMatchObject([
      { key: 'target.value', message: expect.stringMatching(/0\.5 is not better than the baseline, 0\.5/) as string },
    ]);
    expect(problemsOf(`${baseline}target: 0.6\n`)).toMatchObject([{ key: 'target.sample' }]);
    expect(problemsOf('target: { kind: optimum }\n')).toMatchObject([{ key: 'target.value' }]);
    expect(problemsOf(`${baseline}target: { value: 0.8, kind: best_known, source: oracle }\n`)).toEqual([]);
  });

  it('oracle runs a script that is not there, lies in no folder, or in an empty one, is refused', () => {
    const line = 'oracle: { command: python3 oracle.py }\n';
    expect(problemsOf(line, { 'oracle/solve.py': '' })).toMatchObject([
      { key: 'oracle.command', message: 'runs oracle.py, but there is no oracle/oracle.py or starter/oracle.py' },
    ]);
    expect(problemsOf('oracle: { command: "true" }\n')[0]?.message).toContain('there is no folder oracle/');
    expect(problemsOf('', {}, ['oracle'])[0]?.message).toContain('oracle/ is empty');
    expect(problemsOf(line, { 'oracle/oracle.py': '' })).toEqual([]);
  });

  it('oracle makes no submission is refused', () => {
    const other = taskYaml.replace('files: [strategy.py]', 'files: [strategy.py, notes.txt]');
    const files = { 'task.yaml': other, 'oracle/strategy.py': '' };
    expect(problemsOf('', files)).toMatchObject([
      { key: 'oracle', message: expect.stringMatching(/lacks notes\.txt/) as string },
    ]);
    expect(problemsOf('', { ...files, 'oracle/notes.txt': '' })).toEqual([]);
  });

  it('commands of a profile find no script is refused', () => {
    expect(problemsOf('profiles:\n  cpu:\n    baseline: { command: sh small.sh }\n')).toMatchObject([
      { line: 21, key: 'profiles.cpu.baseline.command' },
    ]);
  });

  it('secrets lie in starter/ is refused', () => {
    expect(problemsOf('', { 'starter/copy.csv': SECRET, 'evaluator/labels.csv': SECRET })).toMatchObject([
      {
        key: 'evaluator',
        message: expect.stringMatching(
          /starter\/copy\.csv is the same file as evaluator\/labels\.csv; .*remove/,
        ) as string,
      },
    ]);
    expect(problemsOf(DATA, { ...PREPARE, 'starter/labels.csv': '' })).toMatchObject([
      { line: 19, key: 'data.hidden.0' },
    ]);
    expect(problemsOf('data: { agent: [a], hidden: [a/labels.csv] }\n', PREPARE)).toMatchObject([
      { key: 'data.hidden.0', message: expect.stringContaining('data.agent') as string },
    ]);
    // What the player is given is no secret.
    expect(problemsOf('', { 'starter/copy.csv': SECRET, 'evaluator/player/copy.csv': SECRET })).toEqual([]);
  });

  it('data are declared without prepare.py is refused', () => {
    expect(problemsOf(DATA)).toMatchObject([{ key: 'data', message: expect.stringContaining('prepare.py') as string }]);
  });

  it('description of a direction, primary metric or folder is wrong is refused with what was meant', () => {
    const yaml = (text: string) => problemsOf('', { 'task.yaml': text })[0]?.message;
    expect(yaml(taskYaml.replace('maximize', 'maximse'))).toContain('did you mean maximize?');
    expect(yaml(taskYaml.replace('primary: payoff', 'primary: score'))).toContain('not one of the metrics (payoff)');
  });
});
