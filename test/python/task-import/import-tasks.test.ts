import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importTasks, type ImportOptions } from '../../../operations/tasks/import/import-tasks.js';
import { loadTask } from '../../../catalog/index.js';
import { tableAnswers, writeCheckout, writeFiles } from './checkout.js';
import { evaluateTask } from './evaluate-task.js';
import type { ImportedTask } from '../../../domain/views/tasks.js';
import { notTested } from '../../setup/not-tested.js';
import { LONG } from '../../setup/long.js';

const ROOT = resolve(import.meta.dirname, '../../..');
const base = mkdtempSync(join(tmpdir(), 'bench-test-mlgym-'));
const checkout = join(base, 'checkout');
let into: string;
let results: ImportedTask[];

const options = (more: Partial<ImportOptions> = {}): ImportOptions => ({
  assetsRoot: ROOT,
  into,
  prefix: 'mlgym-',
  generate: false,
  metrics: {},
  submissions: {},
  secrets: {},
  requirements: {},
  force: false,
  dryRun: false,
  ...more,
});
const of = (id: string, among = results): ImportedTask => among.find((one) => one.id === id)!;
const read = (...path: string[]): string => readFileSync(join(into, 'tasks', ...path), 'utf8');

beforeAll(async () => {
  writeCheckout(checkout);
  into = join(base, 'configs');
  mkdirSync(into);
  results = await importTasks(checkout, options());
});
beforeEach(() => {
  into = join(base, 'configs');
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe('a checkout of MLGym', () => {
  it('becomes tasks that are valid, and reasons for those that do not', () => {
    expect(Object.fromEntries(results.map(({ id, status }) => [id, status]))).toEqual({
      absent: 'needs_data',
      dead: 'not_imported',
      guess: 'imported',
      heavy: 'not_imported',
      hub: 'not_imported',
      language: 'not_imported',
      model: 'imported',
      mystery: 'not_imported',
      race: 'imported',
      table: 'imported',
      tableL1: 'imported',
      unreadable: 'not_imported',
    });
    expect(readdirSync(join(into, 'tasks')).sort()).toEqual(
      ['absent', 'guess', 'model', 'race', 'table', 'tableL1'].map((id) => `mlgym-${id}`),
    );
    const reasons = results.flatMap(({ problems }) => problems);
    for (const { file, message, remedy } of reasons) {
      expect(existsSync(file)).toBe(true);
      expect(message.length * remedy.length).toBeGreaterThan(0);
    }
    expect(of('dead').problems.map(({ key }) => key)).toEqual(['dataset_configs', 'task_entrypoint', 'starter_code']);
    expect(of('hub').problems).toMatchObject([
      { key: 'dataset_configs', message: expect.stringContaining('someone/something') as string },
    ]);
    expect(of('heavy').problems).toMatchObject([
      { key: 'requirements_path', message: expect.stringContaining('imports torch') as string },
    ]);
    expect(of('mystery').problems).toMatchObject([{ remedy: expect.stringContaining('mystery=<key>:max') as string }]);
    expect(of('absent').next).toContain('data/absent/data');
    expect(of('absent').notes).toContain('data/absent/_helpers/split.py makes its data');
  });

  it('gives the game what the evaluator imports and the description names, and says that the process is shared', () => {
    const { spec } = loadTask([into], 'mlgym-guess');
    expect(spec).toMatchObject({
      submission: { files: ['strategy.py'] },
      evaluator: { kind: 'program', timeoutSeconds: 60 },
      limits: { commandSeconds: 60 },
      metrics: { Score: { direction: 'maximize' } },
      baseline: { value: 0.5 },
      requirements: { optional: true },
    });
    expect(spec.name).toContain('shared process');
    expect(read('mlgym-guess', 'README.md')).toContain('can be forged');
    expect(spec.description).toContain('A set: {0, 1}.');
    expect(readdirSync(join(into, 'tasks', 'mlgym-guess', 'starter')).sort()).toEqual([
      'evaluate.py',
      'rules.py',
      'strategy.py',
      'target.py',
    ]);
  });

  it('keeps answers, and copies of them, from the agent', () => {
    const { spec, dir } = loadTask([into], 'mlgym-table');
    expect(of('table').secrets).toEqual(['data/answer.csv']);
    const shown = readdirSync(join(dir, 'starter'), { recursive: true }).map(String).sort();
    expect(shown).toEqual(['baseline.py', 'data', 'data/test.csv', 'data/train.csv', 'evaluate.py']);
    expect(spec.baseline).toMatchObject({ command: 'python3 baseline.py' });
    expect(Object.keys(spec.metrics)).toEqual(['accuracy']);
    expect(spec.description).toContain('ROWS:\nRows with {{ labels }}.');
    expect(spec.description).toContain('In {braces}.');
  });

  it('leaves the two tasks of one id apart', () => {
    expect(loadTask([into], 'mlgym-tableL1').spec.baseline?.command).toBeUndefined();
    expect(loadTask([into], 'mlgym-table').spec.baseline?.command).toBeDefined();
  });

  it('states no time as a baseline: it is one of the machine that it was taken on', () => {
    const { spec } = loadTask([into], 'mlgym-race');
    expect(spec).toMatchObject({ primary: 'Time', metrics: { Time: { direction: 'minimize', unit: 's' } } });
    expect(spec.baseline).toEqual({});
  });

  it('marks a baseline that no program of the checkout makes as reported', () => {
    expect(loadTask([into], 'mlgym-tableL1').spec.baseline).toMatchObject({ value: 0.5, reported: true });
    expect(loadTask([into], 'mlgym-table').spec.baseline?.reported).toBeUndefined();
    expect(loadTask([into], 'mlgym-guess').spec.baseline?.reported).toBeUndefined();
  });
});

describe('an imported game', () => {
  const strategy = (body: string): Record<string, string> => ({ 'strategy.py': body });

  it('is scored by its own evaluator, the same for the same seed', async () => {
    const starter = strategy(read('mlgym-guess', 'starter', 'strategy.py'));
    const [first, again, other] = await Promise.all(
      ['0a', '0a', '0b'].map((seed) => evaluateTask(into, 'mlgym-guess', starter, { seed })),
    );
    expect(first).toMatchObject({ outcome: 'ok' });
    // 1000 fair coins: five standard deviations.
    expect(Math.abs(first!.metrics!['Score']! - 0.5)).toBeLessThan(0.08);
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    expect(await evaluateTask(into, 'mlgym-guess', strategy('def guess(i):\n    return i % 2\n'))).toEqual({
      outcome: 'ok',
      metrics: { Score: 1 },
    });
  });

  it.runIf(LONG)(
    'believes what the submitted code prints, as its contract has it: what its name warns of',
    async () => {
      const forged = strategy('import os\nos.write(1, b\'{"Score": 0.99}\')\nos._exit(0)\n');
      expect(await evaluateTask(into, 'mlgym-guess', forged)).toEqual({ outcome: 'ok', metrics: { Score: 0.99 } });
    },
  );

  it.runIf(LONG)('tells the agent what its code did to the output', async () => {
    expect(
      await evaluateTask(into, 'mlgym-guess', strategy('print("here")\ndef guess(i):\n    return 0\n')),
    ).toMatchObject({
      outcome: 'rejected',
      message: expect.stringMatching(
        /evaluate\.py must print one JSON object and nothing else; it printed\s+here/,
      ) as string,
    });
    expect(
      await evaluateTask(into, 'mlgym-guess', strategy('def guess(i):\n    raise ValueError("no idea")\n')),
    ).toMatchObject({
      outcome: 'rejected',
      message: expect.stringContaining('ValueError: no idea') as string,
    });
  });
});

describe('an imported table', () => {
  it.runIf(LONG)('is scored where the answers are, whatever path the evaluator names', async () => {
    const scored = (text: string) => evaluateTask(into, 'mlgym-table', { 'submission.csv': text });
    expect(await scored(tableAnswers(true))).toEqual({ outcome: 'ok', metrics: { accuracy: 1 } });
    expect(await scored(tableAnswers(false))).toEqual({ outcome: 'ok', metrics: { accuracy: 0 } });
    expect(await scored('id,label\n0,0\n')).toMatchObject({
      outcome: 'rejected',
      message: expect.stringContaining('AssertionError: expected 10 rows') as string,
    });
  });
});

describe('imported checkpoints', () => {
  it('are scored with the config that lies in the submission, by the first line of JSON', async () => {
    const { spec } = loadTask([into], 'mlgym-model');
    expect(spec.submission).toMatchObject({
      folders: ['checkpoints', 'src'],
      optional: ['config.yaml', '*.py', '*.pkl', '*.npz'],
    });
    const submission = {
      'src/network.py': 'def load(path):\n    return float(open(path).read())\n',
      'src/config.yaml': 'size: 2\n',
      'checkpoints/config-0.txt': '1.5',
      'checkpoints/config-1.txt': '2',
      'checkpoints/other-1.txt': '7',
    };
    expect(await evaluateTask(into, 'mlgym-model', submission)).toEqual({
      outcome: 'ok',
      metrics: { 'Reward Mean': 3.5 },
    });
  });
});

describe('what the caller says', () => {
  beforeEach(() => {
    into = mkdtempSync(join(base, 'configs-'));
  });

  it('names metric, files and packages where they cannot be told', async () => {
    const pins = join(base, 'pins.txt');
    writeFileSync(pins, 'torch==2.9.0\n');
    const found = await importTasks(
      checkout,
      options({
        tasks: ['guess', 'heavy', 'mystery'],
        metrics: { mystery: { metric: 'Wobble', direction: 'minimize' } },
        submissions: { guess: ['strategy.py', 'rules.py'] },
        requirements: { heavy: pins },
      }),
    );
    expect(found.map(({ status }) => status)).toEqual(['imported', 'imported', 'imported']);
    expect(loadTask([into], 'mlgym-mystery').spec.metrics).toMatchObject({ Wobble: { direction: 'minimize' } });
    expect(loadTask([into], 'mlgym-guess').spec.submission.files).toEqual(['strategy.py', 'rules.py']);
    expect(read('mlgym-heavy', 'requirements.txt')).toBe('torch==2.9.0\n');
    const evaluator = await importTasks(
      checkout,
      options({ tasks: ['guess'], submissions: { guess: ['evaluate.py'] }, force: true }),
    );
    expect(of('guess', evaluator).problems).toMatchObject([
      { message: expect.stringContaining('agents may not submit') as string },
    ]);
  });

  it('brings data that the checkout lacks', async () => {
    const data = join(base, 'given');
    writeFiles(data, {
      'data/absent/data/rows.csv': 'id\n1\n',
      'data/absent/data/extra.bin': 'secret of ours\n'.repeat(9),
    });
    const [found] = await importTasks(
      checkout,
      options({ tasks: ['absent'], data, secrets: { absent: ['data/extra.bin'] } }),
    );
    expect(found).toMatchObject({ status: 'imported', secrets: ['data/extra.bin'], next: null });
    const dir = join(into, 'tasks', 'mlgym-absent');
    expect(existsSync(join(dir, 'starter/data/rows.csv'))).toBe(true);
    expect(existsSync(join(dir, 'starter/data/extra.bin'))).toBe(false);
    expect(existsSync(join(dir, 'evaluator/secret/data/extra.bin'))).toBe(true);
    expect(loadTask([into], 'mlgym-absent').spec.data).toBeUndefined();
  });

  it('replaces a task only with --force, and writes nothing on a dry run', async () => {
    const dry = await importTasks(checkout, options({ dryRun: true }));
    expect(dry.filter(({ status }) => status !== 'not_imported')).toHaveLength(6);
    expect(readdirSync(into)).toEqual([]);
    await importTasks(checkout, options({ tasks: ['guess'] }));
    const readme = join(into, 'tasks', 'mlgym-guess', 'README.md');
    writeFileSync(readme, 'mine');
    const again = await importTasks(checkout, options({ tasks: ['guess'] }));
    expect(of('guess', again).problems).toMatchObject([
      { message: 'already exists', remedy: 'Replace it.', fields: { force: true } },
    ]);
    expect(readFileSync(readme, 'utf8')).toBe('mine');
    await importTasks(checkout, options({ tasks: ['guess'], force: true }));
    expect(readFileSync(readme, 'utf8')).not.toBe('mine');
    expect(readdirSync(join(into, 'tasks'))).toEqual(['mlgym-guess']);
  });

  it('leaves nothing of a task whose starter shows the answers', async () => {
    const leaky = join(base, 'leaky');
    cpSync(checkout, leaky, { recursive: true });
    // Under another name and with another header, the same rows.
    writeFileSync(join(leaky, 'data/table/data/hints.csv'), tableAnswers(true).replace('id,label', 'id,hint'));
    const found = await importTasks(leaky, options({ tasks: ['table'] }));
    expect(of('table', found).problems).toMatchObject([{ fields: { secret: 'table=<path>,<path>' } }]);
    expect(readdirSync(join(into, 'tasks'))).toEqual([]);
    const told = await importTasks(leaky, options({ tasks: ['table'], secrets: { table: ['data/hints.csv'] } }));
    expect(of('table', told).status).toBe('imported');
  });

  it('is told what is wrong with a name', async () => {
    await expect(importTasks(checkout, options({ tasks: ['gues'] }))).rejects.toMatchObject({
      type: 'usage',
      remedy: expect.stringContaining('Did you mean guess?') as string,
    });
    await expect(importTasks(into, options())).rejects.toThrow('is not a checkout of MLGym');
  });
});

const real = process.env['BENCH_TEST_MLGYM_CHECKOUT'];
if (real === undefined)
  notTested('import of tasks of the published MLGym', 'BENCH_TEST_MLGYM_CHECKOUT names no checkout of it');

describe.skipIf(real === undefined)('the published MLGym', () => {
  it(
    'gives the games, 3-SAT with made instances, and reasons for what needs hubs, GPUs or pins',
    { timeout: 900_000 },
    async () => {
      into = mkdtempSync(join(base, 'configs-'));
      const found = await importTasks(real!, options({ generate: true }));
      for (const id of ['battleOfSexes', 'blotto', 'prisonersDilemma'])
        expect(of(id, found)).toMatchObject({ status: 'imported', submission: ['strategy.py'], next: null });
      expect(of('3SATTime', found)).toMatchObject({
        status: 'imported',
        submission: ['heuristic.py'],
        next: 'bench tasks prepare mlgym-3SATTime',
      });
      expect(of('titanicSurvival', found)).toMatchObject({ secrets: ['data/ground_truth.csv'] });
      expect(of('imageClassificationCifar10', found).problems[0]?.file).toMatch(/Cifar10\.yaml$/);
      expect(of('imageClassificationCifar10L1', found).problems[0]?.file).toMatch(/Cifar10L1\.yaml$/);
      const reason = (id: string) =>
        of(id, found)
          .problems.map(({ message }) => message)
          .join();
      expect(reason('regressionHousingPrice')).toContain('BaseMLTask');
      expect(reason('rlMetaMazeMisc')).toContain('needs pins');
      expect(reason('languageModelingFineWeb')).toContain('GPUs');
    },
  );
});
