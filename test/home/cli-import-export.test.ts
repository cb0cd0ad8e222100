import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImportDocument } from '../../domain/views/imports.js';
import { BenchHome } from '../setup/bench-home.js';
import { writeRunDirectory } from '../setup/run-directories.js';
import { notTested } from '../setup/not-tested.js';

const MAIN = resolve(import.meta.dirname, '../../dist/cli/main.js');
const TRUNCATED = '{"environment": "mlgym_main", "trajectory": [{"action": "ls", "observa';

let home: BenchHome;
let folder: string;
beforeAll(async () => {
  // Importing and exporting need no worker.
  home = new BenchHome({ BENCH_WORKER: 'external' });
  folder = mkdtempSync(join(tmpdir(), 'bench-exchange-'));
  for (const index of [0, 1]) writeRunDirectory(join(folder, 'good'), { index });
  writeRunDirectory(join(folder, 'bad'), { index: 2, trajectory: TRUNCATED });
  await home.json('up');
});
afterAll(async () => {
  await home.remove();
  rmSync(folder, { recursive: true, force: true });
});

const at = (...names: string[]): string => join(folder, ...names);
const documentAt = (path: string): ImportDocument => JSON.parse(readFileSync(path, 'utf8')) as ImportDocument;
/** Rows that imports write, by table. */
const stored = () =>
  home.sql(`select (select count(*) from batches)::int as batches, (select count(*) from runs)::int as runs,
    (select count(*) from steps)::int as steps, (select count(*) from evaluations)::int as evaluations,
    (select md5(string_agg(r::text, '' order by run_id)) from runs r) as digest`);

describe('bench import mlgym', () => {
  it('takes what can be taken, tells what not with its file, writes the report, and ends with exit code 1', async () => {
    const { exitCode, stdout, stderr } = await home.run('import', 'mlgym', folder, '--report', at('report.json'));
    expect(exitCode).toBe(1);
    expect(stdout).toBe('2 runs with 6 steps imported into mlgym, 1 skipped.');
    expect(stderr).toMatch(/^skipped: metagen-model-a__blotto__\S+_run_2: blotto\.traj: trajectory\[0\]: truncated:/m);
    // Not on a terminal: lines, and no bar.
    expect(stderr).toMatch(/^3 of 3 directories, 6 steps$/m);
    expect(stderr).not.toContain('\r');
    expect(stderr).not.toContain('\u001b');
    expect(documentAt(at('report.json'))).toMatchObject({
      batch: 'mlgym',
      directories: 3,
      imported: 2,
      failed: 1,
      steps: 6,
    });
  });

  it('changes nothing the second time; on a terminal it draws a bar', async () => {
    const before = await stored();
    const again = await home.run('import', 'mlgym', folder, '--json');
    expect([again.exitCode, JSON.parse(again.stdout)]).toMatchObject([
      1,
      { imported: 0, existing: 2, failed: 1, steps: 0 },
    ]);
    const typed = `${process.execPath} ${MAIN} import mlgym ${at('good')}`;
    const shown = await execa('script', ['-qec', typed, '/dev/null'], {
      env: { ...home.env, TERM: 'xterm' },
      reject: false,
    });
    // No such program on this machine: said, and not looked at.
    if (shown.exitCode === undefined)
      notTested('the bar on a terminal', 'there is no script(1). On Debian: apt-get install bsdutils');
    else {
      expect(shown.exitCode).toBe(0);
      expect(shown.stdout).toMatch(/importing \S+ 2 of 2 directories, 0 steps/);
      expect(shown.stdout).toContain('0 runs with 0 steps imported into mlgym, 2 already here.');
    }
    expect(await stored()).toEqual(before);
  });

  it('names what is wrong, with an exit code that is not 0', async () => {
    const mistakes: [string[], string][] = [
      [['import', 'mlgym', 'nowhere'], 'nowhere: no such folder'],
      [['import', 'mlgym', '.', '--batch', 'b'], 'no run directory of MLGym in .'],
      [['import', 'mlgym', '.', '--task-metric', 'blotto'], '<task>=<metric>:max'],
      [['import', 'jsonl', 'nowhere.jsonl'], 'nowhere.jsonl: cannot be read: ENOENT'],
      [['import', 'jsonl', 'any.jsonl', '--trust', at('report.json')], 'is not a public ed25519 key'],
      [['export', 'nothing'], 'nothing'],
    ];
    const told = await Promise.all(mistakes.map(([args]) => home.run(...args, '--json')));
    for (const [i, { exitCode, stdout }] of told.entries()) {
      expect([1, 2]).toContain(exitCode);
      const { error } = JSON.parse(stdout) as { error: { message: string } };
      expect(error.message).toContain(mistakes[i]![1]);
    }
  });
});

describe('bench export and bench import jsonl', () => {
  it('writes lines once, and takes them back', async () => {
    const file = at('runs.jsonl');
    expect(await home.json('export', 'mlgym', '-o', file)).toMatchObject({ format: 'jsonl', runs: 2, output: file });
    const over = await home.run('export', 'mlgym', '-o', file);
    expect([over.exitCode, over.stderr]).toEqual([2, expect.stringContaining(`${file} already exists`)]);
    expect(existsSync(`${file}.partial`)).toBe(false);

    const before = await stored();
    const known = await home.run('import', 'jsonl', file);
    expect([known.exitCode, known.stdout]).toEqual([
      0,
      '0 runs with 0 steps imported into their batches, 2 already here.',
    ]);
    // As if they had come from elsewhere.
    await home.sql('truncate batches, runs, steps, evaluations, imports cascade');
    const [first = '', second = ''] = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, `${first}\n${second.slice(0, -30)}\n`);
    const cut = await home.run('import', 'jsonl', file, '--report', at('lines.json'));
    expect([cut.exitCode, cut.stdout]).toEqual([1, '1 run with 3 steps imported into their batches, 1 skipped.']);
    expect(cut.stderr).toContain(`skipped: line 2: ${file}`);
    expect(cut.stderr).toContain('truncated');
    expect(documentAt(at('lines.json'))).toMatchObject({ imported: 1, failed: 1 });
    writeFileSync(file, `${first}\n${second}\n`);
    expect(await home.json('import', 'jsonl', file)).toMatchObject({ imported: 1, existing: 1, failed: 0 });
    expect(await stored()).toEqual(before);
  });
});
