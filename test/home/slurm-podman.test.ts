import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { BUNDLED_CONFIGS } from '../setup/bench-home.js';
import { noRootlessPodman, type OrdinaryUser } from '../setup/ordinary-user.js';
import { startPostgres, type TestPostgres } from '../setup/postgres.js';
import { RootlessPodman } from '../setup/rootless-podman.js';
import { until } from '../setup/services-home.js';
import { noSlurm, SlurmCluster } from '../setup/slurm.js';
import { startTemporal, type TemporalFixture } from '../setup/temporal.js';
import { notTested } from '../setup/not-tested.js';

const MAIN = resolve(import.meta.dirname, '../../dist/cli/main.js');
/** Each tells how often there was one before. */
const ACTIONS = [
  ...Array.from({ length: 10 }, (_, i) => `sleep 2; echo ${i} >> counter.txt; md5sum < counter.txt`),
  'echo 0.4 > strategy.txt',
];

const missing = (await noSlurm()) ?? (await noRootlessPodman());
if (missing !== null) notTested("Slurm's jobs of an ordinary user", missing);

describe.skipIf(missing !== null)("an ordinary user's job", () => {
  let cluster: SlurmCluster;
  let postgres: TestPostgres;
  let temporal: TemporalFixture;
  let podman: RootlessPodman;
  let user: OrdinaryUser;
  let control: ChildProcess;
  let db: Database;
  let inviter: Record<string, string>;
  let joined: Record<string, string>;

  beforeAll(async () => {
    [cluster, postgres, temporal] = await Promise.all([
      SlurmCluster.start(),
      startPostgres({ passwords: true, maxConnections: 200 }),
      startTemporal(),
    ]);
    const url = await postgres.createDatabase();
    db = openDatabase(url);
    // Who submits needs an engine; a job has its own.
    podman = await RootlessPodman.start({ BENCH_CONFIGS: BUNDLED_CONFIGS, BENCH_HEARTBEAT_SECONDS: '2' });
    ({ user } = podman);
    joined = { BENCH_HOME: join(user.dir, 'joined'), SLURM_CONF: cluster.conf, BENCH_PODMAN_HOST: '', DOCKER_HOST: '' };
    inviter = { BENCH_HOME: join(user.dir, 'inviter'), DATABASE_URL: url, TEMPORAL_ADDRESS: temporal.address };
    Object.assign(inviter, { BENCH_WORKER: 'external', BENCH_ARTIFACTS: join(user.dir, 'artifacts') });
    const [program, words, options] = user.as(process.execPath, MAIN, 'worker', '--roles', 'workflows,models');
    control = spawn(program, words, { ...options, env: { ...options.env, ...inviter }, stdio: 'ignore' });
    const { invitation } = await user.bench<{ invitation: string }>(
      ['hosts', 'invite', 'cluster', '--database', new URL(url).host, '--temporal', temporal.address],
      inviter,
    );
    await user.bench(['hosts', 'join', invitation], joined);
  });
  afterAll(async () => {
    await cluster.stop();
    const gone = new Promise((settle) => control.once('exit', settle));
    control.kill('SIGTERM');
    await gone;
    await db.close();
    await podman.stop();
    await temporal.stop();
    await postgres.stop();
  });

  /** What the user's jobs have on this node. */
  const left = (): string[] => [
    ...readdirSync('/tmp').filter(
      (name) => name.startsWith('bench-podman-') && statSync(join('/tmp', name)).uid === statSync(user.dir).uid,
    ),
    ...readdirSync(join(user.dir, 'tmp')).filter((name) => /^bench-\d/.test(name)),
  ];
  const log = (jobId: string): string => readFileSync(join(user.dir, 'joined', `slurm-${jobId}.log`), 'utf8');
  const count = async (text: string): Promise<number> => (await db.pool.query(text)).rows.length;

  it('plays on podman that it starts, hands on what it plays when it is preempted, and leaves nothing', async () => {
    const before = await user.processes();
    const asked = ['--cpus', '1', '--slots', '2', '--memory-gb', '8', '--hours', '1', '--grace', '15'];
    const { script } = await user.bench<{ script: string }>(['hosts', 'slurm', ...asked], joined);
    const jobId = (await user.run('sbatch', ['--parsable'], joined, script)).trim();
    await until('the job has a host with podman', async () => {
      return (await count(`select from hosts where backends @> '["podman"]' and removed_at is null`)) > 0;
    });
    const file = join(user.dir, 'played.json');
    const steps = ACTIONS.map((action, i) => ({
      ...{ step: i + 1, response: action, thought: 'So.', action, observation: '' },
    }));
    writeFileSync(file, JSON.stringify({ steps }), { mode: 0o644 });
    const { batchId } = await user.bench<{ batchId: string }>(
      ...[
        ['submit', '--models', `replay:${file}`, '--tasks', 'battleOfSexes', '--backend', 'podman', '--attempts', '2'],
      ],
      inviter,
    );
    await until('runs are under way', async () => {
      return (await count(`select from runs where status = 'running' and step >= 3`)) === 2;
    });
    await cluster.preempt();
    await until('the batch has ended', async () => (await count(`select from batches where status = 'ended'`)) > 0);
    const { rows: runs } = await db.pool.query(
      `select backend, end_reason, final_evaluation from runs where batch_id = $1`,
      [batchId],
    );
    const ran = { backend: 'podman', end_reason: 'submit', final_evaluation: 'ok' };
    expect(runs, log(jobId)).toEqual([ran, ran]);
    const { rows: kinds } = await db.pool.query<{ kind: string; n: number }>(
      'select kind, count(*)::int as n from events group by 1',
    );
    process.stderr.write(`slurm and podman: events ${JSON.stringify(kinds)}\n`);
    const told = new Map(kinds.map(({ kind, n }) => [kind, n]));
    expect(told.get('run_handed_over')).toBeGreaterThan(0);
    for (const fault of ['host_lost', 'sandbox_lost', 'command_lost']) expect(told.get(fault) ?? 0, fault).toBe(0);

    await cluster.run('scancel', jobId);
    await until('the job has ended', async () => (await cluster.jobs()).length === 0);
    expect(left(), log(jobId)).toEqual([]);
    expect(await user.processes()).toEqual(before);
  }, 1_800_000);
});
