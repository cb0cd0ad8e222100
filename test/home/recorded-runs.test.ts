import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BenchHome } from '../setup/bench-home.js';
import { openedFiles, recordedEntries, recordedRuns, textOf } from '../setup/recordings.js';
import { replayed } from '../setup/replayed.js';

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
    const { run, recorded, same } = await replayed(home, file, task, '--max-steps', '100');
    console.info(`${task}: ${same} of ${recorded.length} observations are the same`);
    expect(run.status).toBe('ended');
    expect(recorded).toHaveLength(replies.length);
    expect(['submit', 'max_steps']).toContain(run.endReason);
    if (shown !== undefined)
      expect(recorded.find(({ recordedAction }) => recordedAction.startsWith('open'))?.same).toBe(true);
  });
});
