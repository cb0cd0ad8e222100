import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { BenchHome } from '../setup/bench-home.js';
import { LONG } from '../setup/long.js';

interface Submitted {
  batchId: string;
  existing: boolean;
  runs: { runId: string | null; model: string; task: string; attempt: number; seed: number }[];
  estimate?: { runs: number; maxCostUsd: string | null; peakMemoryMb: number; unpricedModels: string[] };
}
interface Batch {
  batchId: string;
  status: string;
  priority: number;
  pausedAt: string | null;
  totalRuns: number;
  ended: number;
  byStatus: Record<string, number>;
  runs: { runId: string; attempt: number; endReason: string | null }[];
}

const home = new BenchHome();
const dir = mkdtempSync(join(tmpdir(), 'bench-batch-file-'));
afterAll(async () => {
  rmSync(dir, { recursive: true, force: true });
  await home.remove();
});
const fileOf = (text: string): string => {
  const path = join(dir, 'batch.yaml');
  writeFileSync(path, text);
  return path;
};
const LOCAL = ['--tasks', 'battleOfSexes', '--backend', 'local'];

type Progress = Pick<Batch, 'status' | 'ended' | 'byStatus'>;
async function until(batchId: string, holds: (batch: Progress) => boolean): Promise<Batch> {
  const deadline = Date.now() + 300_000;
  const queries = await home.queries();
  for (;;) {
    const batch = await queries.batchStatus(batchId);
    if (holds(batch)) return home.json<Batch>('status', batchId);
    if (Date.now() > deadline) throw new Error(JSON.stringify(batch));
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

describe('a batch file', () => {
  const FILE = `version: 1
name: from-file
backend: local
priority: 2
attempts: 1
groups:
  - { models: [scripted:baseline], tasks: [battleOfSexes] }
  - { models: [scripted:optimum], tasks: [battleOfSexes], attempts: 2, wallTime: 5m }
`;

  it('is told with what it needs and may cost, and nothing is stored', async () => {
    const dry = await home.json<Submitted>('submit', '-f', fileOf(FILE), '--dry-run');
    expect(dry.runs.map(({ runId, model, attempt }) => [runId, model, attempt])).toEqual([
      [null, 'scripted:baseline', 1],
      [null, 'scripted:optimum', 1],
      [null, 'scripted:optimum', 2],
    ]);
    expect(dry.estimate).toMatchObject({ runs: 3, maxCostUsd: '0', unpricedModels: [] });
  });

  it('is submitted once, however often; another specification of the name is refused', async () => {
    const first = await home.json<Submitted>('submit', '-f', fileOf(FILE), '--wait');
    const again = await home.json<Submitted>('submit', '-f', fileOf(FILE));
    expect(again).toMatchObject({ batchId: first.batchId, existing: true });
    expect(again.runs).toHaveLength(3);
    const other = await home.run('submit', '-f', fileOf(FILE.replace('attempts: 2', 'attempts: 3')));
    expect(other.exitCode).toBe(2);
    expect(other.stderr).toContain('groups.1.attempts (2, now 3)');
  });

  it.each([
    ['version: 1\nmodels: [a]\n', /tasks.*is missing/],
    ['version: 2\nmodels: [a]\ntasks: [b]\n', /version/],
    ['version: 1\nmodels: [a]\ntasks: [b]\nbudget: .nan\n', /budget.*US dollars above zero/],
    ['version: 1\nmodels: [a]\ntasks: [b]\nbudget: -5\n', /budget.*US dollars above zero/],
    ['version: 1\nmodels: [a]\ntasks: [b]\nconcurency: 5\n', /did you mean concurrency/],
    ['version: 1\nmodels: [scripted:nobody]\ntasks: [blotto]\n', /scripted:nobody/],
  ])('%j is refused with its key', async (text, said) => {
    const { exitCode, stderr } = await home.run('submit', '-f', fileOf(text));
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(said);
  });
});

it.each([
  [['--budget', 'NaN'], /US dollars above zero/],
  [['--budget=-3'], /US dollars above zero/],
  [['--budget', '0'], /US dollars above zero/],
  [['--priority', '6'], /from 1 to 5/],
  [['--name', 'b-taken'], /not beginning with b-/],
  [['--into', 'nothing-like-this'], /no batch/],
  [['--into', 'from-file', '--budget', '3'], /--budget cannot be combined with --into/],
  [['-f', 'x.yaml'], /--tasks.*cannot be combined with --file/],
])('submit %j is refused', async (args, said) => {
  const { exitCode, stderr } = await home.run('submit', '--models', 'scripted:baseline', ...LOCAL, ...args);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(said);
});

describe('a batch that is paused', () => {
  // Without it, sql/batch-control.test.ts pauses, adds to and resumes batches.
  it.runIf(LONG)('starts no run until it is resumed; runs that are added wait too', async () => {
    const { batchId, runs } = await home.json<Submitted>(
      // The first one goes on until it is cancelled.
      ...['submit', '--models', 'scripted:slow:900,scripted:baseline', '--attempts', '1'],
      ...['--concurrency', '1', '--priority', '1', ...LOCAL],
    );
    await until(batchId, ({ byStatus }) => (byStatus['queued'] ?? 0) === 1);
    expect(await home.json('pause', batchId)).toMatchObject({ paused: true, queuedRuns: 1, runningRuns: 1 });
    const more = await home.json<Submitted>(
      ...['submit', '--into', batchId, '--models', 'scripted:baseline,scripted:clumsy', '--attempts', '1', ...LOCAL],
    );
    expect(more.runs.map(({ model, attempt, seed }) => [model, attempt, seed])).toEqual([
      ['scripted:baseline', 2, 44],
      ['scripted:clumsy', 1, 43],
    ]);
    await home.json('cancel', runs[0]?.runId ?? '');
    const waiting = await until(batchId, ({ ended }) => ended === 1);
    expect(waiting).toMatchObject({ priority: 1, totalRuns: 4, byStatus: { queued: 3, ended: 1 } });
    expect(waiting.pausedAt).not.toBeNull();
    await home.json('resume', batchId);
    const over = await until(batchId, ({ status }) => status === 'ended');
    expect(over.runs.map(({ endReason }) => endReason)).toEqual(['cancelled', 'submit', 'submit', 'submit']);
    expect((await home.run('pause', batchId)).stdout).toContain('already ended');
  });
});

describe('a batch whose runs were cancelled', () => {
  // Without it, sql/batch-control.test.ts repeats runs.
  it.runIf(LONG)('repeats them only when told to take all, by runs that replace them', async () => {
    // None of them is over before it is cancelled, since no host takes it.
    const [host] = await (await home.queries()).hosts();
    await home.json('hosts', 'drain', host?.hostId ?? '');
    const { batchId, runs } = await home.json<Submitted>(
      ...['submit', '--models', 'scripted:baseline', '--attempts', '2', '--concurrency', '1', ...LOCAL],
    );
    await home.json('cancel', batchId);
    await until(batchId, ({ status }) => status === 'cancelled');
    await home.json('hosts', 'undrain', host?.hostId ?? '');
    expect(await home.json('retry', batchId)).toEqual({ batchId, runs: [] });
    const again = await home.json<{ runs: { replaces: string }[] }>('retry', batchId, '--all');
    expect(again.runs.map(({ replaces }) => replaces)).toEqual(runs.map(({ runId }) => runId));
    const over = await until(batchId, ({ status }) => status === 'ended');
    expect(over.runs.map(({ endReason }) => endReason)).toEqual(['cancelled', 'cancelled', 'submit', 'submit']);
  });
});
