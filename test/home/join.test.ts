import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { execa } from 'execa';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifactPath } from '../../backends/artifacts/file-artifact-store.js';
import { decodeInvitation, encodeInvitation, type HostInvitation } from '../../domain/home/host-invitation.js';
import { claimNamespace } from '../../temporal/namespace-owner.js';
import { BenchHome, BUNDLED_CONFIGS } from '../setup/bench-home.js';
import { startPostgres, type TestPostgres } from '../setup/postgres.js';
import { until } from '../setup/services-home.js';
import { Certificates } from '../setup/temporal-gateway.js';
import { startTemporal, type TemporalFixture } from '../setup/temporal.js';
import { LONG } from '../setup/long.js';

const certificates = new Certificates();
let postgres: TestPostgres;
let temporal: TemporalFixture;
/** Of whoever invites; its tasks are not those that come with bench. */
let inviter: BenchHome;
let address: string;
let artifacts: string;
const homes: BenchHome[] = [];
const folders: string[] = [];
const workers: ReturnType<BenchHome['start']>[] = [];

const folder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'bench-join-'));
  folders.push(dir);
  return dir;
};
const newHome = (env: Record<string, string>): BenchHome => {
  const home = new BenchHome({ BENCH_GPUS: 'none', BENCH_HEARTBEAT_SECONDS: '1', ...env }, { bare: true });
  homes.push(home);
  return home;
};
/** A machine of which bench knows nothing yet. */
const machine = (): BenchHome => newHome({ BENCH_CONFIGS: BUNDLED_CONFIGS });
const startWorker = (home: BenchHome, ...args: string[]): ReturnType<BenchHome['start']> => {
  const worker = home.start('worker', ...args);
  workers.push(worker);
  return worker;
};
const invite = async (hostId: string): Promise<string> =>
  (
    await inviter.json<{ invitation: string }>(
      ...['hosts', 'invite', hostId, '--database', new URL(address).host, '--temporal', temporal.address],
    )
  ).invitation;
const stateOf = async (hostId: string): Promise<string | undefined> =>
  (await inviter.json<{ hosts: { hostId: string; state: string }[] }>('hosts')).hosts.find(
    (host) => host.hostId === hostId,
  )?.state;
async function sql<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

beforeAll(async () => {
  postgres = await startPostgres({ passwords: true, tls: certificates.issue('localhost') });
  temporal = await startTemporal();
  const over = `?sslmode=verify-full&sslrootcert=${certificates.authority}`;
  address = (await postgres.createDatabase()).replace('127.0.0.1', 'localhost') + over;
  inviter = newHome({
    ...{ DATABASE_URL: address, TEMPORAL_ADDRESS: temporal.address, BENCH_WORKER: 'external' },
    BENCH_ARTIFACTS: (artifacts = folder()),
  });
  void startWorker(inviter, '--roles', 'workflows,models');
});
afterAll(async () => {
  // Passed on to the workers, which killed commands would leave behind.
  for (const worker of workers) worker.kill('SIGTERM');
  await Promise.all(workers);
  for (const home of homes) await home.remove();
  await temporal.stop();
  await postgres.stop();
  certificates.remove();
  for (const dir of folders) rmSync(dir, { recursive: true, force: true });
});

describe('a new machine', () => {
  it('joins by one line, plays a task that it has never seen, and is shut out when it is revoked', async () => {
    const host = machine();
    const servers = ['--database', new URL(address).host, '--temporal', temporal.address];
    const { stdout: line } = await inviter.run('hosts', 'invite', 'box', ...servers);
    const invitation = /^echo (\S+) \| bench hosts join - && bench worker$/.exec(line)?.[1] ?? '';
    const programs = folder();
    const main = resolve(import.meta.dirname, '../../dist/cli/main.js');
    writeFileSync(join(programs, 'bench'), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, { mode: 0o755 });
    const joined = await execa('sh', ['-c', line.replace('&& bench worker', '--json')], {
      env: { ...host.env, PATH: `${programs}:${process.env['PATH'] ?? ''}` },
      cwd: host.dir,
    });
    expect(JSON.parse(joined.stdout)).toEqual({ hostId: 'box', home: host.dir });
    expect(statSync(join(host.dir, '.env')).mode & 0o777).toBe(0o600);
    // Its own copy of the authority that the database's certificate is checked with.
    expect(decodeURIComponent(readFileSync(join(host.dir, '.env'), 'utf8'))).toContain(
      `sslrootcert=${join(host.dir, 'database-ca.pem')}`,
    );
    // The token is worth nothing any more.
    const { password } = new URL(decodeInvitation(invitation).databaseUrl);
    expect(readFileSync(join(host.dir, '.env'), 'utf8')).not.toContain(password);
    const again = await machine().run('hosts', 'join', invitation);
    expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining('was used already, or revoked')]);

    const worker = startWorker(host);
    await until('the host is up', async () => (await stateOf('box')) === 'up');
    const submit = ['submit', '--models', 'scripted:clumsy', '--tasks', 'battleOfSexes', '--backend', 'local'];
    const { batchId } = await inviter.json<{ batchId: string }>(...submit, '--attempts', '2', '--wait');
    const runs = await sql(
      'select distinct host_id, end_reason, final_evaluation, task_hash from runs where batch_id = $1',
      [batchId],
    );
    expect(runs).toMatchObject([{ host_id: 'box', end_reason: 'submit', final_evaluation: 'ok' }]);
    expect(readdirSync(join(host.dir, 'tasks'))).toEqual([runs[0]?.['task_hash']]);
    expect(existsSync(join(host.dir, 'secret'))).toBe(false);

    expect(await inviter.json('hosts', 'revoke', 'box')).toEqual({ hostId: 'box', state: 'revoked' });
    const ended = await worker;
    expect(ended.exitCode).toBe(2);
    expect(String(ended.stderr)).toContain('its invitation was revoked');
    expect(await stateOf('box')).not.toBe('up');
    const refused = await host.run('worker');
    expect(refused.exitCode).not.toBe(0);
    expect(refused.stderr).toContain('refuses the user or password');
    const late = await inviter.run('hosts', 'revoke', 'nobody');
    expect([late.exitCode, late.stderr]).toEqual([
      2,
      expect.stringContaining('no machine was invited as host "nobody"'),
    ]);
  });

  // Without it, sql/host-users.test.ts has the users of hosts.
  it.runIf(LONG)('that was revoked comes back by another invitation', async () => {
    // Its name is that of another machine as long as the former one was heard a moment ago.
    await until('the former machine is silent', async () => ['silent', 'lost'].includes((await stateOf('box')) ?? ''));
    const host = machine();
    await host.json('hosts', 'join', await invite('box'));
    void startWorker(host);
    await until('the host is up again', async () => (await stateOf('box')) === 'up');
    const taken = await inviter.run('hosts', 'invite', 'box', '--database', 'db:5432', '--temporal', 't:7233');
    expect([taken.exitCode, taken.stderr]).toEqual([2, expect.stringContaining('a host "box" is up')]);

    // A run continued from an earlier one is played here too: its lost task is stored again.
    const [earlier] = await sql<{ run_id: string; task_hash: string; artifact: string }>(
      'select run_id, task_hash, artifact from runs join task_archives on content_hash = task_hash limit 1',
    );
    rmSync(artifactPath(artifacts, earlier?.artifact ?? ''));
    const { batchId } = await inviter.json<{ batchId: string }>(
      ...['fork', earlier?.run_id ?? '', '--at-step', '1', '--wait'],
    );
    const forks = await sql('select host_id, end_reason from runs where batch_id = $1', [batchId]);
    expect(forks).toEqual([{ host_id: 'box', end_reason: 'submit' }]);
    expect(readdirSync(join(host.dir, 'tasks'))).toEqual([earlier?.task_hash]);
  });
});

describe('an invitation', () => {
  const refusal = async (invitation: string): Promise<string> => {
    const host = machine();
    const { exitCode, stdout, stderr } = await host.run('hosts', 'join', invitation);
    expect(exitCode, stderr).not.toBe(0);
    expect(stdout).toBe('');
    expect(existsSync(join(host.dir, '.env'))).toBe(false);
    // One sentence, and no token.
    expect(stderr).not.toMatch(/^\s+at /m);
    return stderr;
  };
  const changed = async (change: (invitation: HostInvitation) => void): Promise<string> => {
    const invitation = decodeInvitation(await invite('other'));
    change(invitation);
    return encodeInvitation(invitation);
  };

  it.runIf(LONG)('is refused with one sentence each, and then changes nothing and stays good', async () => {
    const good = await invite('other');
    expect(await refusal(good.slice(0, -40))).toContain(
      'this is not an invitation of `bench hosts invite`, or is incomplete',
    );
    expect(await refusal(await changed((one) => (one.version = '99.0.0')))).toContain('the others have 99.0.0');
    expect(await refusal(await changed((one) => (one.settings['TEMPORAL_NAMESPACE'] = 'elsewhere')))).toContain(
      "has no namespace 'elsewhere'",
    );
    expect(await refusal(await changed((one) => (one.settings['TEMPORAL_ADDRESS'] = '127.0.0.1:1')))).toContain(
      'no Temporal server answers at 127.0.0.1:1',
    );
    expect(
      await refusal(await changed((one) => (one.databaseUrl = one.databaseUrl.replace(/:\d+\//, ':1/')))),
    ).toContain('does not answer');
    const bucket = { BENCH_ARTIFACTS: 's3://runs', BENCH_S3_ENDPOINT: 'http://127.0.0.1:1', AWS_REGION: 'us-east-1' };
    const keyless = await refusal(await changed((one) => Object.assign(one.settings, bucket)));
    expect(keyless).toMatch(/no credentials for|does not answer/);
    const host = machine();
    await host.json('hosts', 'join', good);
  });

  // Without it, one that is refused is above.
  it.runIf(LONG)(
    'of a namespace that serves another database is refused, as is one that has expired or was revoked',
    async () => {
      const connection = await Connection.connect({ address: temporal.address });
      await connection.workflowService.registerNamespace({
        namespace: 'theirs',
        workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
      });
      const theirs = new Client({ connection, namespace: 'theirs' });
      const installation = { id: 'theirs', database: 'theirs.example:5432/bench' };
      const claim = { installation, machine: 'theirs', temporalAddress: temporal.address, ownServer: false };
      // Its server looks for new namespaces every few seconds.
      let why: unknown;
      for (let tries = 0; tries < 60; tries++) {
        why = await claimNamespace(theirs, claim).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (why === undefined) break;
        await new Promise((wait) => setTimeout(wait, 500));
      }
      expect(why).toBeUndefined();
      await connection.close();
      expect(await refusal(await changed((one) => (one.settings['TEMPORAL_NAMESPACE'] = 'theirs')))).toContain(
        "namespace 'theirs'",
      );
      const old = await invite('old');
      await sql(`update host_invitations set expires_at = now() where host_id = 'old'`);
      expect(await refusal(old)).toContain('the invitation of host "old" has expired');
      const { username, password } = new URL(decodeInvitation(await invite('stale')).databaseUrl);
      await sql(`alter role ${username} valid until 'yesterday'`);
      const late = Object.assign(new URL(address), { username, password });
      await expect(new pg.Client({ connectionString: late.href }).connect()).rejects.toMatchObject({ code: '28P01' });
      const shut = await invite('shut');
      await inviter.json('hosts', 'revoke', 'shut');
      expect(await refusal(shut)).toContain('was used already, or revoked');
    },
  );

  it('is not made where other machines could not use it', async () => {
    const here = await inviter.run('hosts', 'invite');
    expect([here.exitCode, here.stderr]).toEqual([
      2,
      expect.stringMatching(/cannot reach PostgreSQL .*\(--database\)/s),
    ]);
    const database = ['--database', 'db.example:5432'];
    const there = await inviter.run('hosts', 'invite', ...database);
    expect([there.exitCode, there.stderr]).toEqual([
      2,
      expect.stringMatching(/cannot reach Temporal .*\(--temporal\)/s),
    ]);
    const alone = newHome({ DATABASE_URL: address, TEMPORAL_ADDRESS: temporal.address, BENCH_WORKER: 'external' });
    const apart = await alone.run('hosts', 'invite', ...database, '--temporal', 't.example:7233');
    expect([apart.exitCode, apart.stderr]).toEqual([2, expect.stringContaining('BENCH_ARTIFACTS')]);
    const own = await newHome({}).run('hosts', 'invite');
    expect([own.exitCode, own.stderr]).toEqual([2, expect.stringContaining('serve only this machine')]);
  });
});
