import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { python, SampleTask, table, tasksFolder } from './sample-task.js';

describe.each([
  { id: 'regressionKaggleHousePrice', key: 'Id', target: 'Sale_Price', counts: [540, 90, 90, 180] },
  { id: 'titanicSurvival', key: 'id', target: 'survived', counts: [382, 0, 200, 418] },
])('the sample of $id', ({ id, key, target, counts }) => {
  let sample: SampleTask;
  beforeAll(async () => {
    sample = await SampleTask.make(id);
  });
  afterAll(() => sample.remove());
  const truth = () => sample.rows('hidden/answers.csv');
  const submission = (
    change: (row: Record<string, string>, index: number) => string | null = (row) => row[target] ?? '',
  ) =>
    table(
      key,
      target,
      truth().flatMap((row, index) => {
        const value = change(row, index);
        return value === null ? [] : [[row[key] ?? '', value] as const];
      }),
    );

  it('is the same each time', async () => {
    const again = await SampleTask.make(id);
    expect(again.data.hash).toBe(sample.data.hash);
    again.remove();
  });

  it('has the declared parts, and shows no answer of what is to be predicted', () => {
    const [train, , validation, test] = counts;
    expect(sample.rows('agent/data/train.csv')).toHaveLength(train ?? 0);
    const unknown = sample.rows('agent/data/test.csv');
    expect(unknown.map((row) => row[key])).toEqual(truth().map((row) => row[key]));
    expect(unknown.some((row) => target in row || 'split' in row)).toBe(false);
    for (const [split, count] of [
      ['validation', validation],
      ['test', test],
    ] as const)
      expect(truth().filter((row) => row['split'] === split)).toHaveLength(count ?? 0);
  });

  it('gives the best score for the answers in any order, on either split', async () => {
    const backwards = submission().split('\n');
    const text = [backwards[0], ...backwards.slice(1).reverse()].join('\n');
    for (const split of ['validation', 'test'] as const) {
      const metrics = await sample.score(split, text);
      expect(Object.keys(metrics).sort()).toEqual(Object.keys(sample.task.spec.metrics).sort());
      expect(metrics[sample.task.spec.primary]).toBe(1);
    }
  });

  it('scores each split by its own rows', async () => {
    const wrong = target === 'survived' ? (value: string) => String(1 - Number(value)) : () => '1';
    const text = submission((row) => (row['split'] === 'test' ? wrong(row[target] ?? '') : (row[target] ?? '')));
    const primary = sample.task.spec.primary;
    expect((await sample.score('validation', text))[primary]).toBe(1);
    expect((await sample.score('test', text))[primary]).toBeLessThanOrEqual(0);
  });

  it('rejects what does not fit, and says where', async () => {
    const lines = submission().split('\n');
    const eighth = (value: string | null) => submission((row, index) => (index === 7 ? value : (row[target] ?? '')));
    const cases: [string, RegExp][] = [
      [eighth(null), /has \d+ rows below its header; expected \d+/],
      [eighth('nan'), /line 9, column .*'nan' is not/],
      [eighth(''), /line 9, column .*'' is not/],
      [eighth('much'), /line 9, column .*'much' is not/],
      [[...lines.slice(0, -1), lines[1]].join('\n'), /occurs twice/],
      [[...lines, '9999,1'].join('\n'), /more than the expected/],
      [[...lines.slice(0, -1), '9999,1'].join('\n'), /there is no row with/],
      [submission().replace(target, 'guess'), /the header names the columns .*expected exactly/],
    ];
    const verdicts = await sample.judge(
      ...cases.map(([text]) => ({ split: 'test' as const, files: { 'submission.csv': text } })),
      { split: 'validation', files: {} },
    );
    for (const [index, message] of [...cases.map(([, message]) => message), /^submission.csv is missing$/].entries())
      expect(verdicts[index]).toEqual({ rejected: expect.stringMatching(message) as string });
  });
});

describe('house prices', () => {
  it('have r2 0 where each guess is the mean', async () => {
    const sample = await SampleTask.make('regressionKaggleHousePriceL1');
    const rows = sample.rows('hidden/answers.csv');
    const prices = rows.filter((row) => row['split'] === 'test').map((row) => Number(row['Sale_Price']));
    const mean = prices.reduce((sum, price) => sum + price, 0) / prices.length;
    const spread = Math.sqrt(prices.reduce((sum, price) => sum + (price - mean) ** 2, 0) / prices.length);
    const text = table(
      'Id',
      'Sale_Price',
      rows.map((row) => [row['Id'] ?? '', mean]),
    );
    const { r2, rmse } = await sample.score('test', text);
    expect(r2).toBeCloseTo(0, 9);
    expect(rmse).toBeCloseTo(spread, 6);
    sample.remove();
  });
});

describe('the Titanic', () => {
  it("has a baseline that the starter's script reaches, and no rule of one column comes near the truth", async () => {
    const sample = await SampleTask.make('titanicSurvival');
    const work = mkdtempSync(join(tmpdir(), 'bench-test-titanic-'));
    cpSync(join(sample.task.dir, 'starter'), work, { recursive: true });
    cpSync(join(sample.data.dir, 'agent'), work, { recursive: true });
    await execa('python3', ['baseline.py'], { cwd: work });
    const scored = await sample.score('test', readFileSync(join(work, 'submission.csv'), 'utf8'));
    const { value = NaN, standardError = NaN } = sample.task.spec.baseline?.sample ?? {};
    expect(Math.abs((scored['accuracy'] ?? NaN) - value)).toBeLessThan(3 * standardError);
    const women = sample
      .rows('agent/data/test.csv')
      .map((row) => [row['id'] ?? '', row['sex'] === 'female' ? 1 : 0] as const);
    const rule = (await sample.score('test', table('id', 'survived', women)))['accuracy'];
    expect(rule).toBeGreaterThan(value + 0.05);
    expect(rule).toBeLessThan(0.9);
    rmSync(work, { recursive: true });
    sample.remove();
  });

  it('gives no names, and ids that follow chance', async () => {
    const names = (await python(
      join(tasksFolder, 'titanicSurvival'),
      `
import prepare
kinds, columns = [], set()
class Data:
    sample = False
    def source(self, name): return name
    def rng(self, purpose):
        import random
        return random.Random(purpose)
    def agent_csv(self, path, names, rows):
        columns.update(names)
        kinds.extend(row["passengerClass"] for row in rows)
    hidden_csv = lambda *_: None
prepare.read = lambda package: [
    {"passengerClass": 1 + i // 437, "sex": "male", "age": None, "survived": 0} for i in range(1309)]
prepare.prepare(Data())
print(json.dumps({"columns": sorted(columns), "steps": sum(a != b for a, b in zip(kinds, kinds[1:]))}))`,
    )) as { columns: string[]; steps: number };
    expect(names.columns).toEqual(['age', 'id', 'passengerClass', 'sex', 'survived']);
    // Two thirds of neighbours differ by chance; in the source's order two pairs would.
    expect(names.steps).toBeGreaterThan(700);
  });
});

describe('the variants without a script to start from', () => {
  it.each([
    ['regressionKaggleHousePrice', ['prepare.py', 'evaluator/referee.py', 'oracle/oracle.py', 'starter/columns.md']],
    ['imageClassificationCifar10', ['prepare.py', 'evaluator/referee.py', 'oracle/oracle.py']],
  ])('%sL1 has the same data, referee and oracle', (id, files) => {
    for (const file of files)
      expect(readFileSync(join(tasksFolder, `${id}L1`, file), 'utf8'), file).toBe(
        readFileSync(join(tasksFolder, id, file), 'utf8'),
      );
  });
});
