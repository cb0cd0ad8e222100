import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BenchHome } from '../setup/bench-home.js';
import { openedFiles, recordedEntries, recordedRuns, textOf } from '../setup/recordings.js';
import type { ReplayReport } from '../../domain/views/replay.js';

const ROOT = resolve(import.meta.dirname, '../..');
const runs = recordedRuns(['battleOfSexes', 'blotto', 'prisonersDilemma']);

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

  it.each(runs)('$folder', { timeout: 900_000 }, async ({ task, file }) => {
    const replies = recordedEntries(file);
    const shown = openedFiles(replies).find(
      ({ name, lines, total }) => name === 'strategy.py' && lines.length === total,
    );
    // The game's own starter, as the recording shows it, in the place of ours.
    if (shown !== undefined) writeFileSync(join(configs, 'tasks', task, 'starter/strategy.py'), textOf(shown));
    const report = await home.json<ReplayReport>(
      'replay',
      file,
      '--task',
      task,
      '--backend',
      'docker',
      '--max-steps',
      '100',
    );
    console.info(`${task}: ${report.same} of ${report.recorded} observations are the same, ${report.diverged} diverge`);
    expect(report).toMatchObject({ status: 'ended', recorded: replies.length });
    expect(['submit', 'max_steps']).toContain(report.endReason);
    expect(report.same + report.diverged + report.refused + report.notPlayed).toBe(replies.length);
    // Every divergence is told with both lines.
    for (const step of report.steps.filter(({ state }) => state === 'diverges')) expect(step.difference).not.toBeNull();
    if (shown !== undefined) {
      const first = report.steps.find(({ action }) => action?.startsWith('open') === true);
      expect(first?.state).toBe('same');
    }
  });
});
