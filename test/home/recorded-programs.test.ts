import { cpSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BenchHome } from '../setup/bench-home.js';
import { openedFiles, recordedEntries, recordedRuns, textOf } from '../setup/recordings.js';
import { replayed } from '../setup/replayed.js';

const ROOT = resolve(import.meta.dirname, '../..');
const STAND_INS = { '3SATTime': 'satHeuristic', regressionKaggleHousePrice: 'housePrices' } as const;
/** Those with packages download them, and train for minutes. */
const runs = recordedRuns(Object.keys(STAND_INS));
const houses = recordedRuns(['regressionKaggleHousePrice']);

describe.skipIf(runs.length === 0)('published runs of programs, replayed on stand-ins', () => {
  const home = new BenchHome();
  const tasks = join(home.dir, 'configs', 'tasks');

  beforeAll(() => {
    cpSync(join(ROOT, 'configs'), join(home.dir, 'configs'), { recursive: true });
    for (const name of Object.values(STAND_INS))
      cpSync(join(ROOT, 'test/fixtures/tasks', name), join(tasks, name), { recursive: true });
    home.env['BENCH_CONFIGS'] = join(home.dir, 'configs');
    const sat = runs.find(({ task }) => task === '3SATTime');
    if (sat !== undefined) {
      const opened = openedFiles(recordedEntries(sat.file)).find(({ name }) => name === 'heuristic.py');
      if (opened !== undefined) writeFileSync(join(tasks, 'satHeuristic/starter/heuristic.py'), textOf(opened));
    }
    writeHouses(join(tasks, 'housePrices'));
  });
  afterAll(() => home.remove());

  it.each(runs)('$folder', { timeout: 1_500_000 }, async ({ task, file }) => {
    const entries = recordedEntries(file);
    const standIn = STAND_INS[task as keyof typeof STAND_INS];
    const { run, recorded, same } = await replayed(home, file, standIn);
    console.info(`${same} of ${recorded.length} recorded steps gave the same`);
    expect(run).toMatchObject({ status: 'ended', endReason: 'submit' });
    expect(recorded).toHaveLength(entries.length);
    // What the recording shows of the files that the stand-in has from it is what is seen now.
    const isSame = (start: RegExp) => recorded.find(({ recordedAction }) => start.test(recordedAction))?.same;
    if (standIn === 'satHeuristic') {
      expect(isSame(/^open "heuristic.py"/)).toBe(true);
      expect(isSame(/^validate/)).toBe(true);
      expect(run).toMatchObject({ finalEvaluation: 'ok' });
    } else if (entries.some(({ action }) => /^open "?baseline\.py/.test(action))) {
      expect(isSame(/^open "?baseline\.py/)).toBe(true);
      expect(run).toMatchObject({ finalEvaluation: 'ok' });
    }
  });
});

/** The program and the rows in the recordings; validation and test reuse some of these rows. */
function writeHouses(dir: string): void {
  const opened = houses.flatMap(({ file }) => openedFiles(recordedEntries(file)));
  const baseline = opened.find(({ name }) => name === 'baseline.py');
  const train = opened.find(({ name }) => name === 'data/train.csv');
  if (baseline === undefined || train === undefined) throw new Error('the recordings show no baseline.py or train.csv');
  const [header = '', ...rows] = train.lines;
  const fill = rows.slice(0, train.total - train.lines.length);
  const every = (n: number, count: number) => rows.filter((_, i) => i % n === 0).slice(0, count);
  const test = every(3, 292);
  const price = (row: string) => row.slice(row.lastIndexOf(',') + 1);
  const data = join(dir, 'starter', 'data');
  const write = (path: string, lines: string[]) => writeFileSync(path, textOf({ lines }));
  write(join(data, 'train.csv'), [header, ...rows, ...fill]);
  write(join(data, 'validation.csv'), [header, ...every(5, 146)]);
  write(
    join(data, 'test.csv'),
    [header, ...test].map((row) => row.slice(0, row.lastIndexOf(','))),
  );
  write(join(dir, 'evaluator', 'answers.csv'), [
    'Id,SalePrice',
    ...test.map((row) => `${row.slice(0, row.indexOf(','))},${price(row)}`),
  ]);
  writeFileSync(join(dir, 'starter', 'baseline.py'), textOf(baseline));
}
