import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readPlace, readSupervisor } from '../../backends/local/run-world.js';
import { homeLayout } from '../../domain/home/layout.js';
import { connectTemporal } from '../../temporal/connect.js';
import type { ServiceEndpoints } from '../../domain/home/services.js';
import { BenchHome } from '../setup/bench-home.js';
import type { Leaderboard } from '../../domain/views/leaderboard.js';
import type { RunDetail } from '../../domain/views/runs.js';
import type { TrajectoryStep } from '../../domain/views/trajectory.js';
import { LONG } from '../setup/long.js';

/** Waits at step 8 until the test lets it go. */
const WAIT = 'until [ -e ~/go ]; do sleep 0.1; done';
/** Leaves something of every kind that is lost with a container, waits at step 8, reports at 9. */
const TRACES = [
  'mkdir -p deep/er && cd deep/er && echo 1 >> ~/count',
  'echo 2 >> ~/count; export SEEN="a b"; ln -s ../../strategy.py link',
  'validate',
  'echo 4 >> ~/count; f() { echo "f $1 $SEEN"; }; chmod 700 .; mkdir empty',
  'echo 5 >> ~/count; rmdir empty; mkdir hollow',
  'echo 6 >> ~/count; touch /tmp/mark',
  'echo 7 >> ~/count; SEEN="$SEEN c"',
  `echo 8 >> ~/count; ${WAIT}`,
  'tr "\\n" " " < ~/count; f x; pwd; ls -d hollow /tmp/mark; readlink link; stat -c %a .',
];
const QUICK = TRACES.map((command) => command.replace(WAIT, 'true'));
const TOLD = '1 2 4 5 6 7 8 f x a b c\n/home/agent/workspace/deep/er\n/tmp/mark\nhollow\n../../strategy.py\n700\n';

let home: BenchHome;
beforeAll(() => {
  home = new BenchHome();
  const configs = join(home.dir, 'configs');
  cpSync(home.env['BENCH_CONFIGS'] ?? '', configs, { recursive: true });
  const task = join(configs, 'tasks', 'battleOfSexes');
  for (const policy of ['current', 'last_valid', 'best']) {
    const copy = join(configs, 'tasks', policy);
    cpSync(task, copy, { recursive: true });
    const yaml = readFileSync(join(task, 'task.yaml'), 'utf8').replace('id: battleOfSexes', `id: ${policy}`);
    writeFileSync(join(copy, 'task.yaml'), `${yaml}\nonForcedEnd: ${policy}\n`);
  }
  home.env['BENCH_CONFIGS'] = configs;
});
afterAll(() => home.remove());

/** A model with these commands; the player of recordings adds a missing last `submit`. */
function model(name: string, actions: string[]): string {
  mkdirSync(join(home.dir, 'recordings'), { recursive: true });
  const file = join(home.dir, 'recordings', `${name}.json`);
  const steps = actions.map((action, i) => ({
    step: i + 1,
    response: action,
    thought: 'So.',
    action,
    observation: '',
  }));
  // Tests at the same time share it: one may be reading.
  if (!existsSync(file)) writeFileSync(file, JSON.stringify({ steps }));
  return `replay:${file}`;
}

async function submit(models: string, task: string, ...options: string[]): Promise<string> {
  const { runs } = await home.json<{ runs: { runId: string }[] }>(
    ...['submit', '--models', models, '--tasks', task, '--attempts', '1', '--seed', '7', ...options],
  );
  return runs[0]?.runId ?? '';
}
const stepsOf = async (runId: string) => (await home.json<{ steps: TrajectoryStep[] }>('trajectory', runId)).steps;
const eventsOf = async (runId: string, kind: string) =>
  (
    await home.sql<{ detail: string }>('select detail from events where run_id = $1 and kind = $2 order by key', [
      runId,
      kind,
    ])
  ).map(({ detail }) => detail);
const ended = async (runId: string): Promise<RunDetail> => {
  await vi.waitFor(
    async () => {
      const [run] = await home.sql<{ status: string }>('select status from runs where run_id = $1', [runId]);
      if (run?.status !== 'ended') throw new Error(`${runId} is ${run?.status}`);
    },
    { timeout: 600_000, interval: 500 },
  );
  return home.json<RunDetail>('show', runId);
};

describe('a container that is removed in the midst of a run', () => {
  const removeAtStep8 = async (runId: string, first: () => Promise<void> = async () => undefined): Promise<void> => {
    await vi.waitFor(
      async () => {
        const [row] = await home.sql<{ step: number }>('select step from runs where run_id = $1', [runId]);
        if (row?.step !== 8) throw new Error(`step ${row?.step}`);
      },
      { timeout: 300_000, interval: 100 },
    );
    await first();
    const containers = async (): Promise<string[]> =>
      (await execa('docker', ['ps', '-q', '--filter', `label=bench.run=${runId}`])).stdout.trim().split('\n');
    await execa('docker', ['rm', '-f', ...(await containers())]);
    // In the next one, once its own step 8 has begun.
    const letGo = 'grep -qx 8 /home/agent/count && touch /home/agent/go';
    await vi.waitFor(
      async () => {
        for (const id of await containers())
          await execa('docker', ['exec', '-u', '0', id, 'sh', '-c', letGo], { reject: false });
        const [row] = await home.sql<{ step: number }>('select step from runs where run_id = $1', [runId]);
        if ((row?.step ?? 0) <= 8) throw new Error('still at step 8');
      },
      { timeout: 300_000, interval: 500 },
    );
  };

  it.concurrent('comes back from the last snapshot, and only the commands after it are rerun', async () => {
    const runId = await submit(
      model('traces', TRACES),
      'battleOfSexes',
      '--backend',
      'docker',
      '--snapshot-every',
      '3',
    );
    await removeAtStep8(runId);
    expect(await ended(runId)).toMatchObject({ endReason: 'submit', finalEvaluation: 'ok', epoch: 2 });
    expect((await stepsOf(runId))[8]?.observation).toBe(TOLD);
    expect(await eventsOf(runId, 'sandbox_lost')).toEqual([
      expect.stringContaining(
        'the container was lost; the snapshot after step 6 is restored and command 7 is rerun in container 2',
      ) as string,
    ]);
    expect(
      await home.sql('select step, epoch, reason from snapshots where run_id = $1 order by step', [runId]),
    ).toEqual([
      { step: 3, epoch: 1, reason: 'validate' },
      { step: 6, epoch: 1, reason: 'interval' },
      { step: 9, epoch: 2, reason: 'interval' },
    ]);
    // As root its disk was kept, and no archive was made.
    const kept = await home.sql(
      'select disk is not null as disk, artifact is not null as archive from snapshots where run_id = $1',
      [runId],
    );
    const root = process.getuid?.() === 0;
    expect(kept).toEqual(Array.from({ length: 3 }, () => ({ disk: root, archive: !root })));
    expect(existsSync(join(home.dir, 'disks', `${runId}-9-2`, 'disk.img'))).toBe(root);

    const { batchId } = await home.json<{ batchId: string }>('fork', runId, '--at-step', '9', '--wait');
    const [fork] = await home.sql<{ run_id: string }>('select run_id from runs where batch_id = $1', [batchId]);
    const forkId = fork?.run_id ?? '';
    expect(await ended(forkId)).toMatchObject({ endReason: 'submit', finalEvaluation: 'ok', epoch: 1 });
    expect(await eventsOf(forkId, 'run_forked')).toEqual([
      expect.stringContaining(
        `continues after step 9 of run ${runId}: the snapshot after step 9 is restored`,
      ) as string,
    ]);
  });

  // Without it, terminated-workflows.test.ts resumes a terminated run.
  it.runIf(LONG).concurrent(
    'is replaced, with all steps, when the workflow of its run was terminated and its batch is resumed',
    async () => {
      const { batchId, runs } = await home.json<{ batchId: string; runs: { runId: string }[] }>(
        ...[
          'submit',
          '--models',
          model('traces', TRACES),
          '--tasks',
          'battleOfSexes',
          '--attempts',
          '1',
          '--seed',
          '7',
        ],
        ...['--backend', 'docker', '--snapshot-every', '3'],
      );
      const runId = runs[0]?.runId ?? '';
      const stepIs = (wanted: (step: number) => boolean) =>
        vi.waitFor(
          async () => {
            const [row] = await home.sql<{ step: number }>('select step from runs where run_id = $1', [runId]);
            if (!wanted(row?.step ?? 0)) throw new Error(`step ${row?.step}`);
          },
          { timeout: 300_000, interval: 200 },
        );
      const containers = async (): Promise<string[]> =>
        (await execa('docker', ['ps', '-q', '--filter', `label=bench.run=${runId}`])).stdout
          .split('\n')
          .filter(Boolean);
      await stepIs((step) => step === 8);
      const temporal = await connectTemporal(await home.json<ServiceEndpoints>('up'), {});
      for (const id of [`run/${runId}`]) await temporal.workflow.getHandle(id).terminate('killed by a test');
      await temporal.connection.close();
      await home.run('resume', batchId);
      await vi.waitFor(
        async () => {
          const [row] = await home.sql<{ epoch: number }>('select epoch from runs where run_id = $1', [runId]);
          const [id] = await containers();
          if (row?.epoch === 1 || id === undefined) throw new Error('no second container yet');
          await execa('docker', [
            'exec',
            '-u',
            '0',
            id,
            'sh',
            '-c',
            'grep -qx 8 /home/agent/count && touch /home/agent/go',
          ]);
        },
        { timeout: 300_000, interval: 500 },
      );
      expect(await ended(runId)).toMatchObject({ endReason: 'submit', finalEvaluation: 'ok', epoch: 2 });
      expect((await stepsOf(runId))[8]?.observation).toBe(TOLD);
      expect(await eventsOf(runId, 'sandbox_lost')).toEqual([
        expect.stringContaining(
          'the container was lost; the snapshot after step 6 is restored and command 7 is rerun in container 2',
        ) as string,
      ]);
    },
  );

  // Without it, the commands of a fork are rerun below.
  it.runIf(LONG).concurrent('comes back by all its commands when the snapshots are gone', async () => {
    const runId = await submit(
      model('traces', TRACES),
      'battleOfSexes',
      '--backend',
      'docker',
      '--snapshot-every',
      '3',
    );
    await removeAtStep8(runId, async () => {
      const kept = await home.sql<{ artifact: string | null; disk: string | null }>(
        'select artifact, disk from snapshots where run_id = $1',
        [runId],
      );
      for (const { artifact, disk } of kept)
        if (disk !== null) rmSync(join(home.dir, 'disks', disk), { recursive: true });
        else rmSync(join(home.dir, 'artifacts', artifact?.slice(0, 2) ?? '', artifact ?? ''));
    });
    expect(await ended(runId)).toMatchObject({ endReason: 'submit', finalEvaluation: 'ok', epoch: 2 });
    expect((await stepsOf(runId))[8]?.observation).toBe(TOLD);
    expect(await eventsOf(runId, 'snapshot_missing')).toHaveLength(2);
    expect(await eventsOf(runId, 'sandbox_lost')).toEqual([
      expect.stringContaining('the container was lost; commands 1 to 7 are rerun in container 2') as string,
    ]);
  });
});

describe('forks', () => {
  const local = ['--backend', 'local'];
  let origin: string;
  beforeAll(async () => {
    origin = await submit(model('origin', QUICK), 'battleOfSexes', ...local, '--snapshot-every', '3');
    expect(await ended(origin)).toMatchObject({ endReason: 'submit', finalEvaluation: 'ok' });
  });

  it('go on from a snapshot and the commands after it, with the copied steps free of charge', async () => {
    const { batchId } = await home.json<{ batchId: string }>('fork', origin, '--at-step', '7', '--wait');
    const [{ run_id: runId } = { run_id: '' }] = await home.sql<{ run_id: string }>(
      'select run_id from runs where batch_id = $1',
      [batchId],
    );
    const fork = await home.json<RunDetail>('show', runId);
    const before = await home.json<RunDetail>('show', origin);
    expect(fork).toMatchObject({
      forkedFrom: origin,
      forkedAtStep: 7,
      endReason: 'submit',
      seed: before.seed,
      epoch: 1,
    });
    // Copied ones unchanged; later ones continue the numbers, with the fork's own draws.
    expect(fork.evaluationList.map((e) => [e.step, e.number, e.status, e.submissionSha256])).toEqual(
      before.evaluationList.map((e) => [e.step, e.number, e.status, e.submissionSha256]),
    );
    expect(fork.evaluationList[0]?.primary).toBe(before.evaluationList[0]?.primary);
    const steps = await stepsOf(runId);
    expect(steps.map((step) => step.copied)).toEqual([...Array<boolean>(7).fill(true), false, false, false]);
    expect(steps[8]?.observation).toBe((await stepsOf(origin))[8]?.observation);
    expect(await home.sql('select step from model_calls where run_id = $1 order by step', [runId])).toEqual([
      { step: 8 },
      { step: 9 },
      { step: 10 },
    ]);
    expect(await eventsOf(runId, 'run_forked')).toEqual([
      `continues after step 7 of run ${origin}: the snapshot after step 6 is restored and command 7 is rerun`,
    ]);
  });

  it.runIf(LONG)('may have another model, several attempts, and are counted only in their own batch', async () => {
    const count = async (...options: string[]): Promise<number> => {
      const options_ = ['--models', 'scripted:baseline', '--include', 'local', ...options];
      const { rows } = await home.json<Leaderboard>('leaderboard', ...options_);
      return rows[0]?.attempts ?? 0;
    };
    const { batchId } = await home.json<{ batchId: string }>(
      ...['fork', origin, '--at-step', '3', '--model', 'scripted:baseline', '--attempts', '2', '--wait'],
    );
    const runs = await home.sql<{ attempt: number; seed: number; end_reason: string }>(
      'select attempt, seed::int as seed, end_reason from runs where batch_id = $1 order by attempt',
      [batchId],
    );
    expect(runs).toEqual([
      { attempt: 1, seed: 8, end_reason: 'submit' },
      { attempt: 2, seed: 9, end_reason: 'submit' },
    ]);
    expect([await count(), await count('--batch', batchId)]).toEqual([0, 2]);
    // Each has an event; what a limit leaves out is said.
    expect(await home.json('events', batchId, '--limit', '1')).toMatchObject({
      events: [{ kind: 'run_forked' }],
      more: true,
    });
    expect((await home.run('events', batchId, '--limit', '1')).stdout).toContain(
      'The newest 1 events; --limit shows more.',
    );
    expect(await home.json('events', batchId)).toMatchObject({ more: false });
  });

  it.each([
    [['--at-step', '99'], /cannot be forked at step 99: it has no such step/],
    [['--at-step', '10'], /it submits at that step/],
    [['--at-step', '5', '--max-steps', '5'], /no step is left after step 5/],
    [['--at-step', '0'], /at least 1/],
  ])('%s are refused in words', async (options, message) => {
    const batches = await home.sql('select batch_id from batches');
    const refused = await home.run('fork', origin, ...options);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(message) as string });
    expect(await home.sql('select batch_id from batches')).toEqual(batches);
  });
});

describe('commands that are run again in a new container', () => {
  const plain = ['--backend', 'local', '--snapshot-every', '0'];
  const forkOf = async (runId: string, step: number): Promise<string> => {
    const { batchId } = await home.json<{ batchId: string }>('fork', runId, '--at-step', String(step));
    const [fork] = await home.sql<{ run_id: string }>('select run_id from runs where batch_id = $1', [batchId]);
    return fork?.run_id ?? '';
  };
  /** Once the second command waits in this container. */
  const atTheGate = async (runId: string, epoch: number) => {
    const { control } = homeLayout(home.dir).run(runId, epoch);
    return await vi.waitFor(
      async () => {
        const agentsHome = join((await readPlace(control))?.base ?? '', 'home');
        if (!readFileSync(join(agentsHome, 'count'), 'utf8').endsWith('2\n')) throw new Error('not yet there');
        return { control, letGo: () => writeFileSync(join(agentsHome, 'go'), '') };
      },
      { timeout: 300_000, interval: 100 },
    );
  };

  // Without it, crash.test.ts kills a sandbox in a command.
  it.runIf(LONG).concurrent('are run once more, in the next one, when that dies on the way', async () => {
    const gated = ['echo 1 >> ~/count', `echo 2 >> ~/count; ${WAIT}; echo through >> ~/count`, 'cat ~/count'];
    const origin = await submit(model('gated', gated), 'battleOfSexes', ...plain);
    (await atTheGate(origin, 1)).letGo();
    expect(await ended(origin)).toMatchObject({ endReason: 'submit' });
    const runId = await forkOf(origin, 2);
    const { control } = await atTheGate(runId, 1);
    process.kill((await readSupervisor(control))?.pid ?? NaN, 'SIGKILL');
    (await atTheGate(runId, 2)).letGo();
    expect(await ended(runId)).toMatchObject({ endReason: 'submit', finalEvaluation: 'ok', epoch: 2 });
    expect((await stepsOf(runId))[2]?.observation).toBe('1\n2\nthrough\n');
    expect(await eventsOf(runId, 'sandbox_lost')).toEqual([
      expect.stringContaining('the container was lost; commands 1 to 2 are rerun in container 2') as string,
    ]);
    expect(await eventsOf(runId, 'rerun_diverged')).toEqual([]);
  });

  it.runIf(LONG).concurrent('are stopped again where the end of the run’s time had stopped them', async () => {
    const endless = model('endless', ['echo begun >> ~/count; sleep 100000', 'cat ~/count']);
    const origin = await submit(endless, 'battleOfSexes', ...plain, '--wall-time', '10s');
    expect(await ended(origin)).toMatchObject({ endReason: 'wall_time' });
    const runId = await forkOf(origin, 1);
    await ended(runId);
    expect((await stepsOf(runId))[1]?.observation).toBe('begun\n');
    expect(await eventsOf(runId, 'rerun_diverged')).toEqual([]);
  });
});

describe('a run that is ended at its step limit', () => {
  const optimum = 'printf "def row_strategy(history):\\n    return 0\\n" > strategy.py';
  const worse = 'printf "def row_strategy(history):\\n    return 1\\n" > strategy.py';
  const actions = ['validate', optimum, 'validate', worse, 'validate', 'echo broken > strategy.py'];
  const play = async (task: string, maxSteps = 6): Promise<RunDetail> => {
    const limit = ['--max-steps', String(maxSteps)];
    return await ended(await submit(model('breaks', actions), task, '--backend', 'local', ...limit));
  };
  const last = (run: RunDetail) => run.evaluationList.at(-1);

  it.concurrent('is judged by its files as they are, unless its task says otherwise', async () => {
    expect(await play('current')).toMatchObject({
      endReason: 'max_steps',
      finalEvaluation: 'rejected',
      finalScore: null,
    });
  });

  it.runIf(LONG).concurrent(
    'is judged by its last valid submission, where the task says so and the files are none',
    async () => {
      const run = await play('last_valid');
      expect(run).toMatchObject({ endReason: 'max_steps', finalEvaluation: 'ok' });
      expect(last(run)).toMatchObject({ kind: 'forced', status: 'ok', fromStep: 5 });
      expect(last(run)?.submissionSha256).toBe(run.evaluationList[2]?.submissionSha256);
      expect(await eventsOf(run.runId, 'earlier_submission_used')).toEqual([
        'the files at the end: rejected; the submission of step 5 counts instead',
      ]);
      expect(last(await play('last_valid', 4))).toMatchObject({ kind: 'forced', status: 'ok', fromStep: null });
    },
  );

  it.runIf(LONG).concurrent('is judged by its best submission, where the task says so', async () => {
    const run = await play('best', 5);
    expect(last(run)).toMatchObject({ kind: 'forced', status: 'ok', fromStep: 3 });
    expect(await home.sql(`select from submissions where run_id = $1 and kind = 'forced'`, [run.runId])).toEqual([]);
    expect(last(run)?.primary).toBeGreaterThan(run.evaluationList[2]?.primary ?? Infinity);
  });
});

describe('prune', () => {
  interface Pruned {
    removed: boolean;
    snapshots: number | null;
    artifacts: { files: number; bytes: number } | null;
    images: unknown;
  }
  const prune = (...options: string[]) => home.json<Pruned>('prune', '--snapshots', '--artifacts', ...options);
  const files = (): string[] =>
    readdirSync(join(home.dir, 'artifacts'), { recursive: true, encoding: 'utf8' }).filter((path) => path.length > 60);

  // Without it, engine/kept-disks.test.ts removes disks when no snapshot needs them.
  it.runIf(LONG)(
    'removes snapshots of ended runs and files without a row, when told to, and what is needed stays',
    async () => {
      const done = await submit(model('done', QUICK), 'battleOfSexes', '--backend', 'local', '--snapshot-every', '3');
      await ended(done);
      const waits = model('waits', ['echo 1 > one', 'validate', 'sleep 1000', 'cat one']);
      const live = await submit(waits, 'battleOfSexes', '--backend', 'local', '--snapshot-every', '3');
      const kept = () => home.sql<{ artifact: string }>('select artifact from snapshots where run_id = $1', [live]);
      await vi.waitFor(async () => expect(await kept()).toHaveLength(1), { timeout: 300_000, interval: 200 });
      mkdirSync(join(home.dir, 'artifacts', 'ab'), { recursive: true });
      const stray = join('ab', `ab${'0'.repeat(62)}`);
      writeFileSync(join(home.dir, 'artifacts', stray), 'nobody’s');
      writeFileSync(join(home.dir, 'artifacts', 'README'), 'a person’s');
      const before = files();
      const old = new Date(Date.now() - 2 * 3_600_000);
      for (const path of before) utimesSync(join(home.dir, 'artifacts', path), old, old);

      expect(await prune()).toMatchObject({ removed: false, snapshots: 0, artifacts: { files: 0 }, images: null });
      const plan = await prune('--keep-days', '0');
      expect(plan).toMatchObject({ removed: false });
      expect(plan.snapshots).toBeGreaterThanOrEqual(3);
      expect(files()).toEqual(before);
      expect(await prune('--keep-days', '0', '--yes')).toEqual({ ...plan, removed: true });

      const [{ artifact } = { artifact: '' }] = await kept();
      const after = files();
      expect(after.length).toBe(before.length - (plan.artifacts?.files ?? 0));
      expect(after).toContain(join(artifact.slice(0, 2), artifact));
      expect(after).not.toContain(stray);
      expect(existsSync(join(home.dir, 'artifacts', 'README'))).toBe(true);
      const submissions = await home.sql<{ sha: string }>(
        'select distinct submission_sha256 as sha from evaluations where submission_sha256 is not null',
      );
      for (const { sha } of submissions) {
        const manifest = readFileSync(join(home.dir, 'artifacts', sha.slice(0, 2), sha), 'utf8');
        for (const [, hash] of JSON.parse(manifest) as [string, string][])
          expect(after).toContain(join(hash.slice(0, 2), hash));
      }
      expect(await prune('--keep-days', '0', '--yes')).toMatchObject({
        removed: true,
        snapshots: 0,
        artifacts: { files: 0 },
      });
      await home.run('cancel', live);

      // Without snapshots a fork runs the commands again.
      const { batchId } = await home.json<{ batchId: string }>('fork', done, '--at-step', '8', '--wait');
      const [fork] = await home.sql<{ run_id: string }>('select run_id from runs where batch_id = $1', [batchId]);
      expect((await stepsOf(fork?.run_id ?? ''))[8]?.observation).toBe(TOLD);
    },
  );
});
