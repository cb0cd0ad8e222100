import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { BenchHome, BUNDLED_CONFIGS } from '../setup/bench-home.js';
import { startPostgres, type TestPostgres } from '../setup/postgres.js';
import { until } from '../setup/services-home.js';
import { noSlurm, SlurmCluster } from '../setup/slurm.js';
import { startTemporal, type TemporalFixture } from '../setup/temporal.js';
import { notTested } from '../setup/not-tested.js';

const RUNS = Number(process.env['BENCH_SLURM_RUNS'] ?? 40);
const PREEMPTIONS = Number(process.env['BENCH_SLURM_PREEMPTIONS'] ?? 10);
/** Work that takes a while, whose outcome depends on every step before. */
const ACTIONS = [
  ...Array.from({ length: 12 }, (_, i) => `sleep 2; echo ${i} >> counter.txt; md5sum < counter.txt`),
  'echo 0.4 > strategy.txt',
];

const missing = await noSlurm();
if (missing !== null) notTested("hosts that are Slurm's jobs", missing);

describe.skipIf(missing !== null)('jobs of a partition that others preempt', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bench-slurm-test-'));
  let cluster: SlurmCluster;
  let postgres: TestPostgres;
  let temporal: TemporalFixture;
  let inviter: BenchHome;
  let joined: BenchHome;
  let control: ReturnType<BenchHome['start']>;
  let db: Database;
  const rows = async <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
    (await db.pool.query(text, values)).rows as Row[];

  beforeAll(async () => {
    [cluster, postgres, temporal] = await Promise.all([
      SlurmCluster.start(),
      startPostgres({ passwords: true, maxConnections: 200 }),
      startTemporal(),
    ]);
    const url = await postgres.createDatabase();
    db = openDatabase(url);
    const settings = { BENCH_GPUS: 'none', BENCH_HEARTBEAT_SECONDS: '2', BENCH_CONFIGS: BUNDLED_CONFIGS, TMPDIR: dir };
    const servers = { DATABASE_URL: url, TEMPORAL_ADDRESS: temporal.address, BENCH_WORKER: 'external' };
    inviter = new BenchHome({ ...settings, ...servers, BENCH_ARTIFACTS: join(dir, 'artifacts') }, { bare: true });
    control = inviter.start('worker', '--roles', 'workflows,models');
    joined = new BenchHome({ ...settings, SLURM_CONF: cluster.conf }, { bare: true });
    const { invitation } = await inviter.json<{ invitation: string }>(
      ...['hosts', 'invite', 'cluster', '--database', new URL(url).host, '--temporal', temporal.address],
    );
    await joined.json('hosts', 'join', invitation);
  });
  afterAll(async () => {
    await cluster.stop();
    control.kill('SIGTERM');
    await control;
    await db.close();
    for (const home of [joined, inviter]) await home.remove();
    await temporal.stop();
    await postgres.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const submit = async (runs: number): Promise<string> => {
    const file = join(dir, 'played.json');
    const steps = ACTIONS.map((action, i) => ({
      ...{ step: i + 1, response: action, thought: 'So.', action, observation: '' },
    }));
    writeFileSync(file, JSON.stringify({ steps }));
    const { batchId } = await inviter.json<{ batchId: string }>(
      ...['submit', '--models', `replay:${file}`, '--tasks', 'battleOfSexes', '--backend', 'local', '--seed', '7'],
      ...['--attempts', String(runs), '--concurrency', String(runs), '--snapshot-every', '3'],
    );
    return batchId;
  };
  const hasEnded = async (batchId: string): Promise<boolean> =>
    (await rows(`select from batches where batch_id = $1 and status = 'ended'`, [batchId])).length > 0;
  /** Hosts that live, with runs under way. */
  const bearing = (): Promise<unknown[]> =>
    rows(
      `select from hosts h where removed_at is null and leaving_at is null and seen_at > now() - interval '6 s'
         and created_at < now() - interval '5 s'
         and exists (select from runs r where r.host_id = h.host_id and r.status = 'running')`,
    );
  const startHosts = async (): Promise<void> => {
    const { script } = await joined.json<{ script: string }>(
      ...['hosts', 'slurm', '--partition', 'low', '--cpus', '1', '--slots', '15'],
      ...['--memory-gb', '16', '--grace', '12', '--hours', '1'],
    );
    await execa('sbatch', ['--array', '1-3'], { input: script, env: joined.env });
  };
  const endHosts = async (): Promise<void> => {
    await cluster.run('scancel', '--name', 'bench');
    await until('no job is left', async () => (await cluster.jobs()).length === 0);
  };

  it('end all runs with equal outcomes', async () => {
    await startHosts();
    const batchId = await submit(RUNS);
    const left = async (): Promise<number> =>
      (await rows(`select from events where kind = 'host_leaving' and detail like '%SIG%'`)).length;
    const isOver = () => hasEnded(batchId);
    let preempted = 0;
    while (preempted < PREEMPTIONS && !(await isOver())) {
      // Runs are under way again.
      await until('a job bears runs', async () => {
        return (await bearing()).length > 0 || (await isOver());
      });
      const before = await left();
      await cluster.preempt();
      await until('hosts leave', async () => (await left()) > before || (await isOver()));
      preempted = await left();
    }
    await until('the batch has ended', isOver);
    await endHosts();

    const outcomes = await rows<{ runs: number; end_reason: string }>(
      `select count(*)::int as runs, end_reason, final_evaluation, step, commands, evaluations from (
         select r.end_reason, r.final_evaluation, r.step,
           (select json_agg(json_build_array(s.step, s.action, trim(s.observation), s.exit_code) order by s.step)::text
            from steps s where s.run_id = r.run_id) as commands,
           (select json_agg(json_build_array(e.number, e.status) order by e.number, e.split)::text from evaluations e
            where e.run_id = r.run_id) as evaluations
         from runs r where r.batch_id = $1) one group by 2, 3, 4, 5, 6`,
      [batchId],
    );
    expect(outcomes, JSON.stringify(outcomes)).toHaveLength(1);
    expect(outcomes[0]?.runs).toBe(RUNS);
    const kinds = await rows<{ kind: string; n: number }>('select kind, count(*)::int as n from events group by 1');
    const told = new Map(kinds.map(({ kind, n }) => [kind, n]));
    process.stderr.write(`slurm: ${preempted} hosts preempted, events ${JSON.stringify(kinds)}\n`);
    expect(preempted).toBeGreaterThanOrEqual(Math.min(PREEMPTIONS, 3));
    expect(told.get('run_handed_over')).toBeGreaterThan(0);
    for (const fault of ['host_lost', 'command_lost', 'evaluator_error', 'rerun_diverged'])
      expect(told.get(fault) ?? 0, fault).toBe(0);
  }, 1_800_000);

  it('die with their node, whose runs end elsewhere with equal scores', async () => {
    await startHosts();
    const batchId = await submit(12);
    await until('a job has runs', async () => (await bearing()).length > 0);
    const before = await rows<{ host_id: string }>(
      `select distinct host_id from runs where batch_id = $1 and status = 'running' and host_id is not null`,
      [batchId],
    );
    await cluster.loseNode(5_000);
    await until('the batch has ended', () => hasEnded(batchId));
    await endHosts();

    const kinds = await rows<{ kind: string; n: number }>(
      `select kind, count(*)::int as n from events where run_id in (select run_id from runs where batch_id = $1) group by 1`,
      [batchId],
    );
    process.stderr.write(`slurm: ${before.length} hosts were on the node, events ${JSON.stringify(kinds)}\n`);
    expect(before.length).toBeGreaterThan(0);
    const outcomes = await rows<{ score: number }>(
      `select r.end_reason, r.final_evaluation, e.primary_score as score,
         (select json_agg(s.action order by s.step) from steps s where s.run_id = r.run_id) as actions
       from runs r left join evaluations e on e.run_id = r.run_id and e.kind = 'submit' and e.split = 'test'
       where r.batch_id = $1`,
      [batchId],
    );
    // The same strategy, against as many games as chance has it.
    for (const { score, ...outcome } of outcomes) {
      expect(outcome).toEqual({ end_reason: 'submit', final_evaluation: 'ok', actions: [...ACTIONS, 'submit'] });
      expect(score).toBeCloseTo(1.02, 1);
    }
    expect(outcomes).toHaveLength(12);
    // What died with the node was told.
    const told = new Map(kinds.map(({ kind, n }) => [kind, n]));
    expect((told.get('host_lost') ?? 0) + (told.get('sandbox_lost') ?? 0)).toBeGreaterThan(0);
  }, 1_800_000);
});
