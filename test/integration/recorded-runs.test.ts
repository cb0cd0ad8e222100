import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReplayReport } from '../../cli/render/replay.js';
import { BenchHome } from '../setup/bench-home.js';

const ROOT = resolve(import.meta.dirname, '../..');
const RECORDINGS = resolve(ROOT, '../shared/data/mlgym-bench-v0/trajectories');
/** Of longer runs the beginning. */
const MOST_STEPS = '12';
const GAMES = ['battleOfSexes', 'blotto', 'prisonersDilemma'];

interface Entry {
  action: string;
  observation: string;
}

/** The file that the recording opened first, if its window showed all of it. */
function openedFile(entries: Entry[]): { name: string; content: string } | null {
  for (const { action, observation } of entries) {
    const opened = /^open "?([\w.]+)"?\s*$/.exec(action.trim())?.[1];
    if (opened === undefined) continue;
    const total = Number(/\((\d+) lines total\)\]/.exec(observation)?.[1]);
    const lines = [...observation.matchAll(/^(\d+):(.*)$/gm)].filter(([, number], i) => Number(number) === i + 1);
    if (lines.length === total) return { name: opened, content: lines.map(([, , text]) => `${text ?? ''}\n`).join('') };
  }
  return null;
}

const runs = existsSync(RECORDINGS)
  ? readdirSync(RECORDINGS).flatMap((folder) => {
      const task = GAMES.find((game) => folder.includes(`__${game}__`));
      const file = task === undefined ? '' : join(RECORDINGS, folder, `${task}.traj`);
      return task !== undefined && existsSync(file) ? [{ folder, task, file }] : [];
    })
  : [];
if (runs.length === 0) console.warn('published runs are NOT REPLAYED: there are no recordings beside the checkout');

describe.skipIf(runs.length === 0)('published runs of the games, replayed on stand-ins', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bench-recorded-'));
  const configs = join(dir, 'configs');
  let home: BenchHome;
  beforeAll(() => {
    cpSync(join(ROOT, 'configs'), configs, { recursive: true });
    home = new BenchHome({ BENCH_CONFIGS: configs });
  });
  afterAll(async () => {
    await home.remove();
    rmSync(dir, { recursive: true, force: true });
  });

  it.each(runs)('$folder', { timeout: 300_000 }, async ({ task, file }) => {
    const { trajectory } = JSON.parse(readFileSync(file, 'utf8')) as { trajectory: Entry[] };
    const replies = trajectory.filter(({ action }) => !action.startsWith('exit_'));
    const shown = openedFile(replies);
    // The game's own starter, as the recording shows it, in the place of ours.
    if (shown?.name === 'strategy.py')
      writeFileSync(join(configs, 'tasks', task, 'starter/strategy.py'), shown.content);
    const report = await home.json<ReplayReport>(
      'replay',
      file,
      '--task',
      task,
      '--backend',
      'docker',
      '--max-steps',
      MOST_STEPS,
    );
    console.info(`${task}: ${report.same} of ${report.recorded} observations are the same, ${report.diverged} diverge`);
    expect(report).toMatchObject({ status: 'ended', recorded: replies.length });
    expect(['submit', 'max_steps']).toContain(report.endReason);
    expect(report.same + report.diverged + report.refused + report.notPlayed).toBe(replies.length);
    // Every divergence is told with both lines.
    for (const step of report.steps.filter(({ state }) => state === 'diverges')) expect(step.difference).not.toBeNull();
    if (shown?.name === 'strategy.py') {
      const first = report.steps.find(({ action }) => action?.startsWith('open') === true);
      expect(first?.state).toBe('same');
    }
  });
});
