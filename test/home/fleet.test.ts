import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { BenchHome, BUNDLED_CONFIGS } from '../setup/bench-home.js';
import { Machines, noMachines } from '../setup/machines.js';
import { startPostgres, type TestPostgres } from '../setup/postgres.js';
import { until } from '../setup/services-home.js';
import { startTemporal, type TemporalFixture } from '../setup/temporal.js';
import { ACCESS_KEY, FaultyS3, isBuilt, S3Server, SECRET_KEY, VERSITYGW } from '../setup/s3-servers.js';
import { notTested } from '../setup/not-tested.js';

const MAIN = resolve(import.meta.dirname, '../../dist/cli/main.js');
const RUNS = Number(process.env['BENCH_FLEET_RUNS'] ?? 12);
const HOSTS = ['one', 'two', 'three'];
const BUCKET = 'runs';
/** Longer than the runs have left: what they want to store waits. */
const AWAY_MS = 20_000;
const REFUSING_MS = 60_000;

const missing = (await noMachines()) ?? ((await isBuilt(VERSITYGW)) ? null : 'there is no versitygw in ~/go/bin');
if (missing !== null) notTested('a fleet of three machines', missing);

/** Work that takes a while, whose outcome depends on every step before. */
const ACTIONS = [
  ...Array.from({ length: 10 }, (_, i) => `sleep 2; echo ${i} >> counter.txt; md5sum < counter.txt`),
  'python3 baseline.py',
  'submit',
];

describe.skipIf(missing !== null)('three machines that share no folder', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bench-fleet-'));
  let machines: Machines;
  let postgres: TestPostgres;
  let temporal: TemporalFixture;
  let s3: S3Server;
  let store: FaultyS3;
  let inviter: BenchHome;
  let control: ReturnType<BenchHome['start']>;
  let db: Database;
  const homes = new Map<string, string>();
  const workers = new Map<string, ReturnType<Machines['start']>>();
  let keys: Record<string, string>;

  const bench = (host: string, ...args: string[]) =>
    machines.start(host, [inviter.dir, dir], [process.execPath, MAIN, ...args], {
      ...{ BENCH_HOME: homes.get(host) ?? '', BENCH_CONFIGS: BUNDLED_CONFIGS, BENCH_GPUS: 'none', NO_COLOR: '1' },
      ...{ BENCH_HEARTBEAT_SECONDS: '3', BENCH_SLOTS: String(RUNS) },
      ...keys,
    });
  const rows = async <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
    (await db.pool.query(text, values)).rows as Row[];
  const submit = async (): Promise<string> => {
    const file = join(inviter.dir, 'played.json');
    const steps = ACTIONS.map((action, i) => ({
      ...{ step: i + 1, response: action, thought: 'So.', action, observation: '' },
    }));
    writeFileSync(file, JSON.stringify({ steps }));
    const { batchId } = await inviter.json<{ batchId: string }>(
      ...[
        'submit',
        '--models',
        `replay:${file}`,
        '--tasks',
        'titanicSurvival',
        '--sample',
        '--attempts',
        String(RUNS),
        '--seed',
        '7',
      ],
      ...['--concurrency', String(RUNS), '--backend', 'local', '--snapshot-every', '2'],
    );
    return batchId;
  };
  const ended = (batchId: string) =>
    until('the batch has ended', async () => {
      const [batch] = await rows<{ status: string }>('select status from batches where batch_id = $1', [batchId]);
      return batch?.status === 'ended';
    });
  const outcomes = (batchId: string) =>
    rows(
      `select r.attempt, r.end_reason, r.final_evaluation, r.step, r.best_score, r.final_score,
         (select json_agg(json_build_array(e.number, e.status, e.submission_sha256, e.primary_score) order by e.number, e.split)
          from evaluations e where e.run_id = r.run_id) as evaluations,
         (select json_agg(json_build_array(s.action, trim(s.observation), s.exit_code) order by s.step)
          from steps s where s.run_id = r.run_id) as commands
       from runs r where r.batch_id = $1 order by r.ordinal`,
      [batchId],
    );

  beforeAll(async () => {
    machines = await Machines.make();
    postgres = await startPostgres({ passwords: true, address: machines.address, maxConnections: 200 });
    temporal = await startTemporal(machines.address);
    s3 = await S3Server.start(VERSITYGW, dir, machines.address);
    mkdirSync(join(s3.data, BUCKET));
    store = await FaultyS3.before(s3);
    keys = { AWS_ACCESS_KEY_ID: ACCESS_KEY, AWS_SECRET_ACCESS_KEY: SECRET_KEY };
    const url = await postgres.createDatabase();
    db = openDatabase(url);
    inviter = new BenchHome(
      {
        ...{ DATABASE_URL: url, TEMPORAL_ADDRESS: temporal.address, BENCH_WORKER: 'external', BENCH_GPUS: 'none' },
        ...{ BENCH_ARTIFACTS: `s3://${BUCKET}/fleet`, BENCH_S3_ENDPOINT: store.endpoint, AWS_REGION: 'us-east-1' },
        ...keys,
      },
      { bare: true },
    );
    // Its data are made here alone.
    await inviter.json('tasks', 'prepare', 'titanicSurvival', '--sample');
    control = inviter.start('worker', '--roles', 'workflows,models');
    for (const host of HOSTS) homes.set(host, join(await machines.add(host), 'home'));
    for (const host of HOSTS) {
      const { invitation } = await inviter.json<{ invitation: string }>(
        ...['hosts', 'invite', host, '--database', `${machines.address}:${new URL(url).port}`],
      );
      const joined = await bench(host, 'hosts', 'join', invitation);
      expect(joined.exitCode, String(joined.stderr)).toBe(0);
      workers.set(host, bench(host, 'worker'));
    }
    await until(
      'three hosts are up',
      async () => (await db.queries.hosts()).filter(({ state }) => state === 'up').length === 3,
    );
  });
  afterAll(async () => {
    await machines.remove();
    // Passed on to the worker, which a killed command would leave behind.
    control.kill('SIGTERM');
    await control;
    await db.close();
    await inviter.remove();
    store.close();
    await s3.kill();
    await temporal.stop();
    await postgres.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('end all runs with equal outcomes when one dies for good, the store is away, and snapshots in it are garbage', async () => {
    const calm = await submit();
    await ended(calm);
    const [played] = await rows<{ task_hash: string }>('select task_hash from runs where batch_id = $1 limit 1', [
      calm,
    ]);
    // Three hosts, each with its own copy, fetched over the network.
    for (const home of homes.values()) expect(readdirSync(join(home, 'tasks'))).toEqual([played?.task_hash]);
    for (const home of homes.values()) expect(existsSync(join(home, 'prepared'))).toBe(false);

    const batchId = await submit();
    const placed = await until2('each host executes runs with two snapshots', async () => {
      const found = await rows<{ host_id: string; run_id: string }>(
        `select r.host_id, r.run_id from runs r where r.batch_id = $1 and r.status = 'running'
           and (select count(*) from snapshots s where s.run_id = r.run_id and s.artifact is not null) >= 2`,
        [batchId],
      );
      return new Set(found.map((run) => run.host_id)).size === HOSTS.length ? found : null;
    });
    const [dead] = HOSTS;
    await machines.kill(dead ?? '');
    const orphans = placed.filter((run) => run.host_id === dead).map((run) => run.run_id);
    const newest = await rows<{ artifact: string }>(
      `select distinct on (run_id) artifact from snapshots where run_id = any($1) and artifact is not null order by run_id, step desc`,
      [orphans],
    );
    const damages = [
      (path: string) => rmSync(path),
      (path: string) => truncateSync(path, 10),
      (path: string) =>
        writeFileSync(
          path,
          readFileSync(path).map((byte) => byte ^ 1),
        ),
    ];
    newest.forEach(({ artifact }, i) =>
      damages[i % 3]?.(join(s3.data, BUCKET, 'fleet', artifact.slice(0, 2), artifact)),
    );
    await s3.kill();
    await new Promise((wait) => setTimeout(wait, AWAY_MS));
    await s3.go();
    store.faults = { status: 503, code: 'SlowDown', left: Infinity };
    await new Promise((wait) => setTimeout(wait, REFUSING_MS));
    store.faults.left = 0;
    await ended(batchId);
    expect(store.answered).toBeGreaterThan(0);

    expect(await outcomes(batchId)).toEqual(await outcomes(calm));
    const events = await rows<{ kind: string; runs: number }>(
      `select e.kind, count(distinct e.run_id)::int as runs from events e join runs r using (run_id) where r.batch_id = $1 group by 1`,
      [batchId],
    );
    const told = new Map(events.map(({ kind, runs }) => [kind, runs]));
    expect(told.get('host_lost')).toBeGreaterThanOrEqual(orphans.length);
    expect(told.get('snapshot_missing')).toBeGreaterThanOrEqual(1);
    const where = await rows<{ host_id: string }>('select distinct host_id from runs where batch_id = $1', [batchId]);
    expect(where.map((run) => run.host_id)).not.toContain(dead);
  });
});

async function until2<T>(what: string, look: () => Promise<T | null>): Promise<T> {
  let found: T | null = null;
  await until(what, async () => (found = await look()) !== null);
  if (found === null) throw new Error(what);
  return found;
}
