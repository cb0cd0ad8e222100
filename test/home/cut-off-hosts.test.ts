import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import type { QueryResultRow } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServiceEndpoints } from '../../domain/home/services.js';
import type { HostsDocument } from '../../domain/views/hosts.js';
import { BenchHome, BUNDLED_CONFIGS } from '../setup/bench-home.js';
import { type CuttableProxy, cuttableProxy } from '../setup/cuttable-proxy.js';
import { until } from '../setup/services-home.js';

const WORKER = resolve(import.meta.dirname, '../../dist/worker/main.js');
const HEARTBEAT_SECONDS = '3';

/** Counts what ran in this sandbox; until its gate opens, a run waits in the middle. */
const count = (n: number): string => `echo ${n} >> counter.txt; wc -l < counter.txt`;
const ACTIONS = [count(1), count(2), 'until [ -e go ]; do sleep 0.1; done', count(3), count(4)];
const GATE_STEP = 3;

describe('a host that reaches one of its two servers', () => {
  let home: BenchHome;
  let lines: Record<'PostgreSQL' | 'Temporal', CuttableProxy>;
  let artifacts: string;
  let recording: string;
  const hosts = new Map<string, { dir: string; process: ChildProcess }>();

  const startHost = (hostId: string, { databaseUrl, temporalAddress, temporalVariables }: ServiceEndpoints): void => {
    const dir = mkdtempSync(join(tmpdir(), 'bench-host-'));
    const child = spawn(process.execPath, [WORKER], {
      env: {
        ...{ PATH: process.env['PATH'], HOME: process.env['HOME'], BENCH_HOME: dir, BENCH_HOST: hostId },
        ...{ DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: temporalAddress, ...temporalVariables },
        ...{ BENCH_ROLES: 'host', BENCH_HEARTBEAT_SECONDS: HEARTBEAT_SECONDS, BENCH_GPUS: 'none' },
        ...{ BENCH_ARTIFACTS: artifacts, BENCH_SLOTS: '8' },
      },
      stdio: 'ignore',
    });
    hosts.set(hostId, { dir, process: child });
  };
  const hostOf = async (hostId: string) => (await (await home.queries()).hosts()).find((one) => one.hostId === hostId);
  const isUp = (hostId: string) => until(`host ${hostId} is up`, async () => (await hostOf(hostId))?.state === 'up');
  const listed = async (hostId: string) =>
    (await home.json<HostsDocument>('hosts')).hosts.find((one) => one.hostId === hostId);
  const submit = async (attempts: number): Promise<string> =>
    (
      await home.json<{ batchId: string }>(
        ...['submit', '--models', `replay:${recording}`, '--tasks', 'battleOfSexes', '--attempts', String(attempts)],
        ...['--seed', '7', '--concurrency', '4', '--backend', 'local'],
      )
    ).batchId;
  const runsOf = (batchId: string) =>
    home.sql<{ run_id: string; host_id: string; epoch: number; step: number; status: string }>(
      'select run_id, host_id, epoch, step, status from runs where batch_id = $1 order by ordinal',
      [batchId],
    );
  const atGates = (batchId: string) =>
    until('all runs wait at their gates', async () =>
      (await runsOf(batchId)).every(({ status, step }) => status === 'running' && step === GATE_STEP),
    );
  /** Every gate is opened, also those of sandboxes that are left over on a host that is cut off. */
  const endWithOpenGates = (batchId: string) =>
    until('the batch has ended', async () => {
      const homes = [...hosts.values()].map(({ dir }) => dir);
      const touch = ['-type', 'd', '-name', 'workspace', '-prune', '-exec', 'touch', '{}/go', ';'];
      // Folders that go away meanwhile need none.
      await execa('find', [...homes, ...touch], { reject: false });
      return (await runsOf(batchId)).every(({ status }) => status === 'ended');
    });
  const outcomes = <Row extends QueryResultRow>(batchId: string) =>
    home.sql<Row>(
      `select r.attempt, r.end_reason, r.final_evaluation, r.step,
         (select json_agg(json_build_array(e.number, e.status, e.submission_sha256) order by e.number) from evaluations e
          where e.run_id = r.run_id) as evaluations,
         (select json_agg(json_build_array(s.action, btrim(s.observation, E' \\n'), s.exit_code) order by s.step) from steps s
          where s.run_id = r.run_id) as commands
       from runs r where r.batch_id = $1 order by r.ordinal`,
      [batchId],
    );

  beforeAll(async () => {
    artifacts = mkdtempSync(join(tmpdir(), 'bench-artifacts-'));
    home = new BenchHome({
      ...{ BENCH_ROLES: 'workflows,models', BENCH_GPUS: 'none', BENCH_ARTIFACTS: artifacts },
      BENCH_CONFIGS: BUNDLED_CONFIGS,
    });
    const endpoints = await home.json<ServiceEndpoints>('up');
    recording = join(home.dir, 'gated.json');
    const steps = ACTIONS.map((action, i) => ({
      ...{ step: i + 1, response: action, thought: 'So.', action, observation: '' },
    }));
    writeFileSync(recording, JSON.stringify({ steps }));
    const database = new URL(endpoints.databaseUrl);
    const [temporalHost = '', temporalPort] = endpoints.temporalAddress.split(':');
    lines = {
      PostgreSQL: await cuttableProxy({ host: database.hostname, port: Number(database.port) }),
      Temporal: await cuttableProxy({ host: temporalHost, port: Number(temporalPort) }),
    };
    database.port = String(lines.PostgreSQL.port);
    startHost('whole', endpoints);
    startHost('cut', {
      ...endpoints,
      databaseUrl: database.href,
      temporalAddress: `${temporalHost}:${lines.Temporal.port}`,
    });
    await Promise.all([isUp('whole'), isUp('cut')]);
  });
  afterAll(async () => {
    for (const { process: child } of hosts.values()) child.kill('SIGKILL');
    for (const line of Object.values(lines)) await line.close();
    await home.remove();
    for (const dir of [artifacts, ...[...hosts.values()].map((host) => host.dir)])
      rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });

  it.each(['Temporal', 'PostgreSQL'] as const)(
    'without %s gives its runs to another and gets no new ones, until it reaches both again',
    async (server) => {
      for (const line of Object.values(lines)) line.mend();
      await isUp('cut');
      const before = await submit(4);
      await atGates(before);
      const there = (await runsOf(before)).filter((run) => run.host_id === 'cut').map((run) => run.run_id);
      expect(there.length).toBeGreaterThan(0);
      lines[server].cut();
      await until('the host takes no new runs', async () => (await hostOf('cut'))?.state !== 'up');
      const during = await submit(2);

      await until('its runs have moved', async () =>
        (await runsOf(before)).every((run) => run.host_id === 'whole' && run.status !== 'ended'),
      );
      expect(await listed('cut')).toMatchObject({ state: 'lost', unreachableServer: server });
      await Promise.all([endWithOpenGates(before), endWithOpenGates(during)]);
      expect((await runsOf(during)).map((run) => run.host_id)).toEqual(['whole', 'whole']);
      const [first, ...others] = await outcomes<{ attempt: number; commands: unknown[] }>(before);
      const counted = ACTIONS.map((action, i) => [action, ['1', '2', '', '3', '4'][i], 0]);
      expect(first?.commands.slice(0, ACTIONS.length)).toEqual(counted);
      for (const outcome of others) expect(outcome).toMatchObject({ ...first, attempt: outcome.attempt });
      const events = await home.sql<{ run_id: string }>(
        `select run_id from events join runs using (run_id) where runs.batch_id = $1 and kind = 'host_lost'`,
        [before],
      );
      expect(events.map((event) => event.run_id).toSorted()).toEqual(there.toSorted());

      lines[server].mend();
      await isUp('cut');
      const after = await submit(4);
      await atGates(after);
      expect(new Set((await runsOf(after)).map((run) => run.host_id))).toEqual(new Set(['whole', 'cut']));
      await endWithOpenGates(after);
      expect(await outcomes(after)).toEqual(await outcomes(before));
      expect((await runsOf(after)).map((run) => run.epoch)).toEqual([1, 1, 1, 1]);
    },
  );
});
