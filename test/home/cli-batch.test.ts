import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BenchHome } from '../setup/bench-home.js';
import { LONG } from '../setup/long.js';
import type { Leaderboard } from '../../domain/views/leaderboard.js';
import type { RunSummary } from '../../domain/views/runs.js';
import type { TrajectoryStep } from '../../domain/views/trajectory.js';

interface BatchDocument {
  batchId: string;
  status: string;
  totalRuns: number;
  ended: number;
  endReason: string | null;
  runs: RunSummary[];
}
interface Submitted {
  batchId: string;
  runs: { runId: string; model: string; task: string; attempt: number }[];
}

const home = new BenchHome();
const LOCAL = ['--tasks', 'battleOfSexes', '--backend', 'local'];
/** Goes on until it is cancelled, however slow this machine is. */
const LASTING = 'scripted:slow:900';

/** Poll a batch until a condition holds; bounded. */
async function batchUntil(
  batchId: string,
  what: string,
  holds: (batch: Pick<BatchDocument, 'status' | 'ended'>) => boolean,
): Promise<BatchDocument> {
  const deadline = Date.now() + 300_000;
  const queries = await home.queries();
  for (;;) {
    const batch = await queries.batchStatus(batchId);
    if (holds(batch)) return home.json<BatchDocument>('status', batchId);
    if (Date.now() > deadline) throw new Error(`batch ${batchId} is not ${what}: ${JSON.stringify(batch)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** A text has come on stderr; also ends when the process does. */
async function told(process: ReturnType<BenchHome['start']>, text: string): Promise<void> {
  let before = '';
  await new Promise<void>((resolve) => {
    process.stderr.on('data', (chunk) => {
      before += String(chunk);
      if (before.includes(text)) resolve();
    });
    process.stderr.once('end', resolve);
  });
}

afterAll(() => home.remove());

describe('a batch from the command line', () => {
  let submitted: Submitted;
  beforeAll(async () => {
    submitted = await home.json<Submitted>(
      'submit',
      '--models',
      'scripted:baseline,scripted:clumsy',
      '--attempts',
      '1',
      '--name',
      'first',
      ...LOCAL,
    );
  });

  it('is submitted, and its ids are printed', () => {
    expect(submitted.batchId).toMatch(/^b-[0-9a-z]{26}$/);
    expect(submitted.runs.map(({ model, task, attempt }) => [model, task, attempt])).toEqual([
      ['scripted:baseline', 'battleOfSexes', 1],
      ['scripted:clumsy', 'battleOfSexes', 1],
    ]);
  });

  it('is watched until it ends; stdout holds one document', async () => {
    const batch = await home.json<BatchDocument>('watch', 'first');
    expect(batch).toMatchObject({
      batchId: submitted.batchId,
      status: 'ended',
      totalRuns: 2,
      ended: 2,
      endReason: 'submit',
    });
    expect(batch.runs.map((run) => run.runId)).toEqual(submitted.runs.map((run) => run.runId));
    for (const run of batch.runs) {
      expect(run).toMatchObject({
        status: 'ended',
        finalEvaluation: 'ok',
        isolation: 'none',
        costUsd: '0',
        detail: null,
      });
      expect(run.bestScore).toBeGreaterThan(0.9);
    }
  });

  it('is shown run by run, each by the end of its id', async () => {
    const [, clumsy] = submitted.runs;
    const short = clumsy?.runId.slice(-8) ?? '';
    expect(await home.json('show', short)).toMatchObject({
      runId: clumsy?.runId,
      endReason: 'submit',
      modelCalls: 11,
      evaluationList: [{ status: 'rejected' }, { status: 'ok' }, { status: 'ok', kind: 'submit' }],
    });
    const { steps } = await home.json<{ steps: TrajectoryStep[] }>('trajectory', short);
    expect(steps.map((step) => step.step)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(steps.at(-1)).toMatchObject({ action: 'submit', requested: 'submit' });

    const { entries } = await home.json<{ entries: { kind: string }[] }>('logs', short, '-f');
    expect(entries.filter((entry) => entry.kind === 'action')).toHaveLength(9);
    expect(entries.at(-1)).toMatchObject({ kind: 'end', text: 'submit' });

    const text = await home.run('trajectory', short);
    expect(text.stdout).toContain('── step 9 ──');
    const { runs } = await home.json<{ runs: RunSummary[] }>('runs', 'first', '--models', 'scripted:clumsy');
    expect(runs.map((run) => run.runId)).toEqual([clumsy?.runId]);
  });

  it('ranks runs without isolation and scripted agents only when asked', async () => {
    const plain = await home.json<Leaderboard>('leaderboard', '--batch', 'first');
    expect(plain.rows.map((row) => row.rank)).toEqual([null, null]);
    const board = await home.json<Leaderboard>('leaderboard', '--batch', 'first', ...['--include', 'scripted,local']);
    expect(board.comparison).toMatchObject({ tasks: ['battleOfSexes'], k: null, T: 0.4, mode: 'strict' });
    expect(board.rows[0]).toMatchObject({ rank: 1, model: 'scripted:clumsy', improvedTasks: 1, notRunTasks: 0 });
    expect(board.rows[0]?.scores['battleOfSexes']?.best).toBeGreaterThan(1.1);
  });

  it('can be compared under a name, which keeps what it compares', async () => {
    const rules = ['--batch', 'first', '--include', 'scripted,local'];
    const saved = await home.json('comparisons', 'save', 'spring', ...rules);
    const fixed = {
      name: 'spring',
      T: 0.4,
      models: ['scripted:baseline', 'scripted:clumsy'],
      tasks: ['battleOfSexes'],
    };
    expect(saved).toMatchObject({ ...fixed, mode: 'strict', include: ['scripted', 'local'] });
    expect(await home.json('comparisons', 'list')).toEqual({ comparisons: [saved] });
    expect(await home.json('comparisons', 'show', 'spring')).toEqual({ ...(saved as object), changedBaselines: [] });
    const board = await home.json<Leaderboard>('leaderboard', '--view', 'spring', '--metric', 'best-submission');
    expect(board.comparison).toMatchObject({ metric: 'best-submission', saved: { name: 'spring' } });
    const csv = await home.run('leaderboard', '--view', 'spring', '--csv');
    expect(csv.stdout.split('\n').map((line) => line.split(',').slice(0, 3).join(' '))).toEqual([
      'rank model kind',
      '1 scripted:clumsy scripted',
      '2 scripted:baseline scripted',
    ]);
    expect((await home.run('comparisons', 'save', 'spring', ...rules)).exitCode).toBe(2);
    expect(await home.json('comparisons', 'remove', 'spring')).toEqual({ removed: 'spring' });
    expect((await home.run('leaderboard', '--view', 'spring')).exitCode).toBe(2);
  });

  it('can be asked by SQL, and not changed', async () => {
    const rows = await home.json('sql', 'select model_name, end_reason from runs order by 1');
    expect(rows).toEqual({
      columns: ['model_name', 'end_reason'],
      rows: [
        ['scripted:baseline', 'submit'],
        ['scripted:clumsy', 'submit'],
      ],
      truncated: false,
    });
    for (const query of ['delete from runs', "update batches set name = 'x'", 'select 1; drop table runs']) {
      const refused = await home.run('sql', query);
      expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refused.stderr).toContain('bench db url');
    }
    expect(await home.json('sql', 'select count(*)::int from runs')).toMatchObject({ rows: [[2]] });
    expect(await home.json<{ databaseUrl: string }>('db', 'url', '--owner')).toEqual({
      databaseUrl: expect.stringMatching(/^postgres(ql)?:\/\//) as string,
    });
  });

  it('cannot be called as another one, and nothing is stored then', async () => {
    const again = await home.run('submit', '--models', 'scripted:baseline', '--name', 'first', ...LOCAL);
    expect(again.exitCode).toBe(2);
    expect(again.stderr).toContain('first');
    expect(await home.json('sql', 'select count(*)::int from batches')).toMatchObject({ rows: [[1]] });
  });

  it('refuses ids that name nothing, and more GPUs than there are', async () => {
    for (const args of [
      ['show', 'r-nope'],
      ['status', 'nope'],
      ['cancel', 'nope'],
      ['logs', 'nope'],
      ['events', 'nope'],
    ]) {
      expect(await home.run(...args)).toMatchObject({ exitCode: 2, stdout: '' });
    }
    const gpus = await home.run('submit', '--models', 'scripted:baseline', '--gpus-per-run', '2', ...LOCAL);
    expect(gpus.exitCode).toBe(2);
    expect(gpus.stderr).toContain('2 GPUs');
  });

  it('has nothing to go on with or to cancel once it is over', async () => {
    expect(await home.json('resume', 'first')).toEqual({ resumed: [] });
    expect(await home.json('resume')).toEqual({ resumed: [] });
    expect(await home.json('cancel', 'first')).toMatchObject({ batchId: submitted.batchId, requested: false });
  });

  it('shows hosts and events', async () => {
    const { hosts } = await home.json<{ hosts: { hostId: string; activeRuns: number }[] }>('hosts');
    expect(hosts).toEqual([
      expect.objectContaining({
        hostId: readFileSync(join(home.dir, 'host-id'), 'utf8').trim(),
        state: 'up',
        slots: 64,
      }),
    ]);
    expect(await home.json('events', 'first')).toHaveProperty('events');
    const none = await home.run('events', 'first', '--kind', 'earlier_submission_used');
    expect(none.stdout.trim()).toBe('No events of these kinds.');
  });
});

describe('waiting for a batch', () => {
  // Without it, exit-codes.test.ts leaves batches by Ctrl-C and continues them.
  it.runIf(LONG)(
    'can be left by Ctrl-C: the batch goes on, survives a stop of all services, and is cancelled by name',
    async () => {
      const waiting = home.start(
        'submit',
        '--models',
        LASTING,
        '--attempts',
        '2',
        '--concurrency',
        '1',
        '--name',
        'left',
        '--wait',
        ...LOCAL,
      );
      await told(waiting, 'running, step');
      waiting.kill('SIGINT');
      const left = await waiting;
      expect(left.exitCode).toBe(130);
      const { batchId } = await home.json<BatchDocument>('status', 'left');
      for (const advice of [`bench watch ${batchId}`, `bench resume ${batchId}`, `bench cancel ${batchId}`]) {
        expect(left.stderr).toContain(advice);
      }

      const refused = await home.run('down');
      expect(refused.exitCode).toBe(1);
      expect(refused.stderr).toContain('unfinished');
      expect((await home.run('down', '--force')).exitCode).toBe(0);
      expect(await home.json('resume', 'left')).toEqual({ resumed: [{ batchId, unfinishedRuns: 2 }] });

      expect(await home.json('cancel', 'left')).toMatchObject({ batchId, requested: true, unfinishedRuns: 2 });
      const cancelled = await batchUntil(batchId, 'cancelled', (batch) => batch.status === 'cancelled');
      expect(cancelled.runs.map((run) => run.endReason)).toEqual(['cancelled', 'cancelled']);
    },
  );

  it('ends with exit code 0 and the state of the batch', async () => {
    const result = await home.run('submit', '--models', 'scripted:baseline', '--attempts', '1', '--wait', ...LOCAL);
    expect(result.exitCode).toBe(0);
    expect(result.stdout).toContain('1 of 1 run ended');
    expect(result.stderr).toContain('submit, step 1');
  });

  // Without it, exit-codes.test.ts has a batch with an unscored run.
  it.runIf(LONG)(
    'ends with exit code 1 when runs were cancelled, one that plays and one that waits for its turn',
    async () => {
      const waiting = home.start(
        'submit',
        '--models',
        LASTING,
        '--attempts',
        '2',
        '--concurrency',
        '1',
        '--name',
        'cut',
        '--wait',
        '--json',
        ...LOCAL,
      );
      await told(waiting, 'running, step');
      const { batchId, runs } = await home.json<BatchDocument>('status', 'cut');
      expect(runs.map((run) => run.status)).toEqual(['running', 'queued']);
      expect(await home.json('cancel', runs[1]?.runId ?? '')).toMatchObject({ requested: true });
      const after = await batchUntil(batchId, 'one run less', (batch) => batch.ended === 1);
      expect(after.runs[1]).toMatchObject({ endReason: 'cancelled', steps: 0 });
      expect(await home.json('cancel', runs[0]?.runId ?? '')).toMatchObject({ requested: true });
      const result = await waiting;
      expect(result.exitCode).toBe(1);
      expect(JSON.parse(String(result.stdout))).toMatchObject({ endReason: 'cancelled', status: 'ended', ended: 2 });
    },
  );
});

describe('the demo', () => {
  // In the ordinary suite page.test.ts plays the demo.
  it.runIf(LONG)(
    'plays three agents at three games, twice each, and ranks them; the optimum leads',
    async () => {
      const { batch, leaderboard } = await home.json<{ batch: BatchDocument; leaderboard: Leaderboard }>('demo');
      expect(batch).toMatchObject({ status: 'ended', totalRuns: 18, ended: 18 });
      expect(new Set(batch.runs.map((run) => run.isolation))).toEqual(new Set(['container']));
      expect(leaderboard.rows[0]).toMatchObject({ rank: 1, model: 'scripted:optimum' });
      expect(leaderboard.rows.map((row) => row.model).sort()).toEqual([
        'scripted:baseline',
        'scripted:clumsy',
        'scripted:optimum',
      ]);
    },
    900_000,
  );
});
