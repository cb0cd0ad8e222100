import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readInstallation } from '../../db/index.js';
import type { Installation } from '../../domain/home/installation.js';
import { connectTemporal } from '../../temporal/connect.js';
import { BenchError } from '../../domain/errors.js';
import { INSTALLATION_WORKFLOW_ID } from '../../domain/run/queues.js';
import type { ServiceEndpoints } from '../../domain/home/services.js';
import { embeddedDatabaseUrl } from '../../services/index.js';
import { claimNamespace, namespaceOf, namespaceOwner, refuseSecondNamespace } from '../../temporal/namespace-owner.js';
import { BenchHome } from '../setup/bench-home.js';
import { LONG } from '../setup/long.js';
import { query, until } from '../setup/services-home.js';
import { startTemporal, type TemporalFixture } from '../setup/temporal.js';

const WORKER = resolve(import.meta.dirname, '../../dist/worker/main.js');

/** A claim by the installation of that name. */
const claimOf = (id: string, ownServer = false) => ({
  installation: { id, database: `${id}.example:5432/bench` },
  machine: `machine-of-${id}`,
  temporalAddress: 'temporal.example:7233',
  ownServer,
});

describe('a Temporal namespace', () => {
  let server: TemporalFixture;
  let client: Client;
  const claim = (id: string, ownServer = false) => claimNamespace(client, claimOf(id, ownServer));
  const owner = async () => (await namespaceOwner(client))?.installation;
  const terminate = (id: string) => client.workflow.getHandle(id).terminate();

  beforeAll(async () => {
    server = await startTemporal();
    client = new Client({ connection: await Connection.connect({ address: server.address }) });
  });
  afterAll(async () => {
    await client.connection.close();
    await server.stop();
  });

  it('serves the first installation that claims it, however many do so at once', async () => {
    const ids = Array.from({ length: 20 }, (_, i) => `inst-${i % 4}`);
    const outcomes = await Promise.all(
      ids.map((id) =>
        claim(id).then(
          () => 'its own',
          (error: unknown) => (error instanceof BenchError ? error.type : String(error)),
        ),
      ),
    );
    const winner = await owner();
    expect(ids).toContain(winner);
    expect(outcomes).toEqual(ids.map((id) => (id === winner ? 'its own' : 'usage')));
    await terminate(INSTALLATION_WORKFLOW_ID);
  });

  it('is refused to another, with both named and what to do', async () => {
    await claim('first');
    await claim('first');
    await expect(claim('second')).rejects.toMatchObject({
      type: 'usage',
      message: expect.stringMatching(
        /^the Temporal namespace 'default' at temporal\.example:7233 serves another database of bench, first\.example:5432\/bench \(installation first, since 20.*Z, from machine-of-first\), not second\.example:5432\/bench \(installation second\)$/,
      ) as string,
      remedy: expect.stringMatching(
        /TEMPORAL_NAMESPACE.*DATABASE_URL.*gone for good, see docs\/reference\/deployment.md/,
      ) as string,
    });
    expect(await owner()).toBe('first');
  });

  it('is free for another when its mark has been terminated', async () => {
    await terminate(INSTALLATION_WORKFLOW_ID);
    expect(await owner()).toBeUndefined();
    await claim('second');
    await expect(claim('first')).rejects.toThrow('installation second');
  });

  it("of a home's own server goes over to the home's new database once no run of the old one is open", async () => {
    const run = await client.workflow.start('run', { workflowId: 'run/of-second', taskQueue: 'nobody' });
    await client.workflow.start('gpuPool', { workflowId: 'gpu-pool', taskQueue: 'nobody' });
    await until(
      'both are listed',
      async () => (await client.workflow.count(`ExecutionStatus = 'Running'`)).count === 3,
    );
    await expect(claim('third', true)).rejects.toMatchObject({
      remedy: expect.stringContaining('set DATABASE_URL as it was') as string,
    });
    expect(await owner()).toBe('second');

    await run.terminate();
    await until(
      'it is listed as over',
      async () => (await client.workflow.count(`ExecutionStatus = 'Running'`)).count === 2,
    );
    await claim('third', true);
    expect(await owner()).toBe('third');
    // It knew the hosts of the old database.
    expect((await client.workflow.getHandle('gpu-pool').describe()).status.name).toBe('TERMINATED');
  });
});

describe('a database', () => {
  const here = { id: 'here', at: "namespace 'default' at here:7233" };
  const there = { id: 'there', at: "namespace 'default' at there:7233" };
  const installation = (...hosts: Installation['hosts']): Installation => ({ ...claimOf('one').installation, hosts });

  it('is served by one namespace: where a host that is heard polls another, a second is refused, and both are named', () => {
    const hosts = [
      { hostId: 'a', homeId: 'a', namespace: here },
      { hostId: 'b', homeId: 'b', namespace: there },
    ];
    expect(() => refuseSecondNamespace(installation(...hosts), here, null)).toThrow(
      "the database one.example:5432/bench is served by another Temporal: its host b polls namespace 'default' at there:7233, not namespace 'default' at here:7233",
    );
    refuseSecondNamespace(installation(...hosts.slice(0, 1)), here, null);
    refuseSecondNamespace(installation(), here, null);
  });

  it('of a home whose own server is new is not in use elsewhere', () => {
    refuseSecondNamespace(installation({ hostId: 'a', homeId: 'home', namespace: there }), here, 'home');
  });
});

/** Of two models at two tasks: enough to be under way while the second home is refused. */
const ATTEMPTS = 8;

describe.runIf(LONG)('two homes with a database each and one namespace', () => {
  let first: BenchHome;
  let second: BenchHome;
  let batchId: string;
  let temporal: Client;

  const refusedAs = async (home: BenchHome, ...args: string[]) => {
    const { exitCode, stdout } = await home.run(...args, '--json');
    expect(exitCode, stdout).toBe(2);
    const { error } = JSON.parse(stdout) as { error: { message: string; remedy: string } };
    return error;
  };

  beforeAll(async () => {
    [first, second] = [0, 1].map(() => new BenchHome({ BENCH_GPUS: 'none', BENCH_HEARTBEAT_SECONDS: '3' })) as [
      BenchHome,
      BenchHome,
    ];
    const endpoints = await first.json<ServiceEndpoints>('up');
    temporal = await connectTemporal(endpoints, {});
    Object.assign(second.env, { TEMPORAL_ADDRESS: endpoints.temporalAddress, ...endpoints.temporalVariables });
    ({ batchId } = await first.json<{ batchId: string }>(
      ...['submit', '--models', 'scripted:baseline,scripted:counter', '--tasks', 'battleOfSexes,blotto'],
      ...['--attempts', String(ATTEMPTS), '--backend', 'local', '--seed', '3'],
    ));
  });
  afterAll(async () => {
    await second.remove();
    await first.remove();
    await temporal.connection.close();
  });

  it('the second is refused by each command, before a worker polls and before anything is stored', async () => {
    const up = await refusedAs(second, 'up');
    expect(up.message).toContain('serves another database of bench');
    const own = embeddedDatabaseUrl(second.dir) ?? '';
    const [owned, refused] = await Promise.all(
      [embeddedDatabaseUrl(first.dir) ?? '', own].map((url) => readInstallation(url)),
    );
    expect(up.message).toContain(`installation ${owned?.id}`);
    expect(up.message).toContain(`installation ${refused?.id}`);

    const submit = ['submit', '--models', 'scripted:baseline', '--tasks', 'battleOfSexes', '--backend', 'local'];
    expect((await refusedAs(second, ...submit)).message).toBe(up.message);
    expect((await refusedAs(second, 'worker')).message).toBe(up.message);
    expect(await query(own, 'select count(*)::int as n from batches')).toEqual([{ n: 0 }]);
    expect(await query(own, 'select count(*)::int as n from hosts')).toEqual([{ n: 0 }]);
    const doctor = await second.run('doctor', '--json');
    const { checks } = JSON.parse(doctor.stdout) as { checks: { name: string; status: string; detail: string }[] };
    expect(checks.find(({ name }) => name === 'temporal')).toMatchObject({ status: 'fail', detail: up.message });
  });

  it('a worker that is started by itself ends at once and says the same', async () => {
    const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((done) => {
      const env = {
        ...{ PATH: process.env['PATH'], HOME: process.env['HOME'], ...second.env },
        DATABASE_URL: embeddedDatabaseUrl(second.dir) ?? '',
      };
      execFile(process.execPath, [WORKER], { env, timeout: 600_000 }, (error, _stdout, text) =>
        done({ code: error?.code, stderr: text }),
      );
    });
    expect(stderr).toMatch(/bench worker: .*serves another database of bench.*TEMPORAL_NAMESPACE/);
    expect(code).toBe(2);
  });

  it("the first's runs are not touched", async () => {
    await until('the batch has ended', async () => {
      const [batch] = await first.sql<{ status: string }>('select status from batches where batch_id = $1', [batchId]);
      return batch?.status === 'ended';
    });
    const ends = await first.sql(
      'select status, end_reason, count(*)::int as n from runs where batch_id = $1 group by 1, 2',
      [batchId],
    );
    expect(ends).toEqual([{ status: 'ended', end_reason: 'submit', n: 4 * ATTEMPTS }]);
  });

  it('a worker whose namespace was given to another stops, and comes back when it is free again', async () => {
    const log = () => readFileSync(`${first.dir}/logs/worker.log`, 'utf8');
    // At once: a worker that found no mark would claim the namespace again.
    await temporal.workflow.start('installation', {
      ...{ workflowId: INSTALLATION_WORKFLOW_ID, taskQueue: INSTALLATION_WORKFLOW_ID },
      ...{ workflowIdConflictPolicy: 'TERMINATE_EXISTING', memo: { installation: 'intruder' } },
    });
    await until('the worker has stopped and is refused', () =>
      /belongs to another database now.*bench worker: the Temporal namespace .*installation intruder/s.test(log()),
    );
    await temporal.workflow.getHandle(INSTALLATION_WORKFLOW_ID).terminate();
    await first.json('up');
    const { id } = await readInstallation(embeddedDatabaseUrl(first.dir) ?? '');
    // Its supervisor may still take the worker for one that is up.
    await until('the namespace is its own again', async () => (await namespaceOwner(temporal))?.installation === id);
  });

  it('a namespace of its own is what the second needs; a database with a host in one is refused to another', async () => {
    await second.run('down', '--force');
    await temporal.connection.workflowService.registerNamespace({
      namespace: 'second',
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    });
    second.env['TEMPORAL_NAMESPACE'] = 'second';
    const seen = () => namespaceOf(new Client({ connection: temporal.connection, namespace: 'second' }), '');
    await until('the new namespace is known', () =>
      seen().then(
        () => true,
        () => false,
      ),
    );
    await second.json('up');

    await first.json('down', '--force');
    first.env['DATABASE_URL'] = embeddedDatabaseUrl(second.dir) ?? '';
    expect((await refusedAs(first, 'up')).message).toMatch(
      /is served by another Temporal: its host .* polls namespace 'second' at .*, not namespace 'default' at/,
    );
  });

  it('a home may change its database when nothing is under way', async () => {
    await first.json('down', '--force');
    await second.json('down', '--force');
    // Lends its database alone.
    for (const name of ['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE']) Reflect.deleteProperty(second.env, name);
    second.env['BENCH_WORKER'] = 'external';
    await second.json('up');
    await until("the second's host is silent", async () => (await first.run('up')).exitCode === 0);
    expect((await namespaceOwner(temporal))?.installation).toBe(
      (await readInstallation(embeddedDatabaseUrl(second.dir) ?? '')).id,
    );
  });
});
