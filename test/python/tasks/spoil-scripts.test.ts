import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SPOIL } from '../../../models/scripted/spoil-scripts.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bench-spoil-'));
  mkdirSync(join(dir, '.spoil'));
  writeFileSync(join(dir, '.spoil', 'spoil.py'), SPOIL);
  writeFileSync(join(dir, '.spoil', 'plan.json'), JSON.stringify({ files: ['submission.csv'], folders: [] }));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const spoil = (way: string): number | null =>
  spawnSync('python3', ['.spoil/spoil.py', way], { cwd: dir, encoding: 'utf8' }).status;
const submission = (): string => readFileSync(join(dir, 'submission.csv'), 'utf8');
const submit = (values: readonly string[]): void =>
  writeFileSync(
    join(dir, 'submission.csv'),
    ['id,value', ...values.map((value, id) => `${id},${value}`), ''].join('\n'),
  );
const repeated = (...values: string[]): string[] => Array.from({ length: 12 }, (_, i) => values[i % values.length]!);

describe('spoil.py', () => {
  it('puts an unknown label where there are labels, and where there are sentences or numbers none', () => {
    submit(repeated('cat', 'T-shirt and top'));
    expect([spoil('keep'), spoil('unknown_label')]).toEqual([0, 0]);
    expect(submission()).toContain('0,no such label\n1,T-shirt and top\n');
    for (const values of [repeated('a red square on a table', 'a blue circle on the grass'), repeated('0', '1')]) {
      submit(values);
      expect([spoil('keep'), spoil('unknown_label')]).toEqual([0, 3]);
    }
  });

  it('spoils the right submission each time, not what it spoiled before', () => {
    submit(repeated('1', '2'));
    spoil('keep');
    const right = submission();
    expect([spoil('empty'), submission()]).toEqual([0, '']);
    expect([spoil('repeated_row'), submission()]).toEqual([0, `${right}11,2\n`]);
    expect([spoil('not_a_number'), submission()]).toEqual([0, right.replace('0,1', '0,nan')]);
  });
});
