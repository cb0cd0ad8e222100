import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BenchHome } from '../setup/bench-home.js';
import { openedFiles, recordedEntries, recordedRuns, textOf } from '../setup/recordings.js';
import { replayed } from '../setup/replayed.js';
import { notTested } from '../setup/not-tested.js';

const checkout = process.env['BENCH_TEST_MLGYM_CHECKOUT'];
if (checkout === undefined)
  notTested('import of tasks of the published MLGym', 'BENCH_TEST_MLGYM_CHECKOUT names no checkout of it');
const runs = checkout === undefined ? [] : recordedRuns(['battleOfSexes', 'blotto', 'prisonersDilemma']);
/** Two evaluations of 10,000 games; standard errors are at most 0.007 for these strategies. */
const NOISE = 0.03;

describe.skipIf(runs.length === 0)('published runs of the games, replayed on the tasks of a checkout', () => {
  let dir: string;
  let home: BenchHome;
  // Not where nothing is replayed.
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'bench-recorded-imports-'));
    home = new BenchHome();
  });
  afterAll(async () => {
    await home.remove();
    rmSync(dir, { recursive: true, force: true });
  });

  // Installs pinned packages into images, once.
  it.each(runs)('$folder', { timeout: 600_000 }, async ({ folder, task, file }) => {
    // Of one task there may be several runs, recorded on different starters.
    const mlgym = join(dir, folder);
    for (const part of ['configs', `data/${task}`])
      cpSync(join(checkout!, part), join(mlgym, part), { recursive: true });
    // The starter as the recording shows it: it has changed since.
    const shown = openedFiles(recordedEntries(file)).find(
      ({ name, lines, total }) => name === 'strategy.py' && lines.length === total,
    );
    if (shown !== undefined) writeFileSync(join(mlgym, 'data', task, 'strategy.py'), textOf(shown));
    const configs = join(dir, `configs-${folder}`);
    await home.json('tasks', 'import', 'mlgym', mlgym, '--into', configs, '--tasks', task);
    home.env['BENCH_CONFIGS'] = configs;

    const { recorded, same, scores } = await replayed(home, file, `mlgym-${task}`, '--max-steps', '12');
    const pairs = scores.now.map((now, index) => ({ recorded: scores.recorded[index] ?? null, now }));
    console.info(`${task}: ${JSON.stringify(pairs)}; ${same} of ${recorded.length} observations are the same`);
    // The last one is the submission at the end of what was played.
    const played = recorded.some((step) => step.same === null) ? pairs.slice(0, -1) : pairs;
    expect(played.length).toBeGreaterThan(0);
    for (const pair of played) expect(Math.abs((pair.now ?? NaN) - (pair.recorded ?? NaN))).toBeLessThan(NOISE);
  });
});
