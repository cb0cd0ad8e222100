import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { suitePage } from '../../../benchmarks/suite/page.js';
import { PLAYERS } from '../../../benchmarks/suite/players.js';
import { recordedGames } from '../../../benchmarks/suite/recordings.js';

const dir = mkdtempSync(join(tmpdir(), 'bench-suite-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** A recording that opens its starter, validates so often, and submits. */
function write(task: string, run: number, starter: string, validates: number): void {
  const folder = join(dir, 'trajectories/mlgym_bench_v0', `metagen-m${run}__${task}__default_run_${run}`);
  mkdirSync(folder, { recursive: true });
  const opened = `[File: /home/agent/workspace/strategy.py (1 lines total)]\n1:${starter}\n(end)`;
  const trajectory = [
    { action: 'open strategy.py', observation: opened },
    ...Array.from({ length: validates }, () => ({ action: 'validate\n', observation: '' })),
    { action: 'submit', observation: '' },
  ];
  writeFileSync(join(folder, `${task}.traj`), JSON.stringify({ trajectory }));
}

it('chooses the shortest recordings of each starter, with a checkout that has it', () => {
  mkdirSync(join(dir, 'configs'), { recursive: true });
  for (const task of ['battleOfSexes', 'blotto', 'prisonersDilemma']) {
    mkdirSync(join(dir, 'data', task), { recursive: true });
    writeFileSync(join(dir, 'data', task, 'strategy.py'), 'published\n');
  }
  for (let run = 0; run < 12; run++) write('blotto', run, run % 2 === 0 ? 'early' : 'late', 1 + (run >> 1));
  // One that had changed it before it looked, one without a second evaluation.
  write('blotto', 20, 'changed', 1);
  write('blotto', 21, 'early', 0);
  const into = join(dir, 'chosen');
  const games = recordedGames(dir, into, { longest: 7, most: 3 });
  expect(games.map(({ task, recordings }) => [task, ...recordings])).toEqual([
    ['blotto', 'blotto-1/m0-0.traj', 'blotto-1/m2-2.traj', 'blotto-1/m4-4.traj'],
    ['blotto', 'blotto-2/m1-1.traj', 'blotto-2/m3-3.traj', 'blotto-2/m5-5.traj'],
  ]);
  expect(games.map(({ checkout }) => readFileSync(join(checkout, 'data/blotto/strategy.py'), 'utf8'))).toEqual([
    'early\n',
    'late\n',
  ]);
  expect(readdirSync(join(into, 'blotto-1'))).toHaveLength(3);
});

it('says of recordings what became of their scores', () => {
  const replays = [
    { file: 'blotto-1/m|0.traj', task: 'mlgym-blotto', steps: 10, played: 11, recorded: 0.25, now: 0.2471234 },
  ];
  const machine = { command: 'npm run benchmark:suite', date: '2026-01-02', cores: 2, seed: 42, backend: 'docker' };
  const page = suitePage({ ...machine, batches: [], replays });
  expect(page).toContain('| blotto-1/m\\|0.traj | mlgym-blotto | 10 | 11 | 0.25 | 0.24712 |');
});

it('gives each player a batch of its own', () => {
  expect(new Set(PLAYERS.map(({ name }) => name)).size).toBe(PLAYERS.length);
});
