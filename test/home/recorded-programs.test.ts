import { cpSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BenchHome } from '../setup/bench-home.js';
import { openedFiles, recordedEntries, recordedRuns, textOf } from '../setup/recordings.js';
import type { ReplayReport } from '../../domain/views/replay.js';

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
    const report = await home.json<ReplayReport>('replay', file, '--task', standIn, '--backend', 'docker');
    console.info(`${report.same} of ${report.recorded} recorded steps gave the same, ${report.diverged} diverge`);
    for (const { step, action, state, difference } of report.steps)
      console.info(`${step} ${(action ?? '').split('\n')[0]}: ${state} ${JSON.stringify(difference ?? '')}`);
    expect(report).toMatchObject({ status: 'ended', endReason: 'submit', recorded: entries.length });
    expect(report.same + report.diverged + report.refused + report.notPlayed).toBe(entries.length);
    for (const step of report.steps.filter(({ state }) => state === 'diverges')) expect(step.difference).not.toBeNull();
    // What the recording shows of the files that the stand-in has from it is what is seen now.
    const stateOf = (start: string) => report.steps.find(({ action }) => action?.startsWith(start) === true)?.state;
    if (standIn === 'satHeuristic') {
      expect(stateOf('open "heuristic.py"')).toBe('same');
      expect(stateOf('validate')).toBe('same');
      expect(report).toMatchObject({ finalEvaluation: 'ok' });
    } else if (entries.some(({ action }) => /^open "?baseline\.py/.test(action))) {
      expect(report.steps.find(({ action }) => /^open "?baseline\.py/.test(action ?? ''))?.state).toBe('same');
      expect(report).toMatchObject({ finalEvaluation: 'ok' });
    }
  });
});

/** The program and the rows that the recordings show; validation and test are some of these rows once more. */
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
