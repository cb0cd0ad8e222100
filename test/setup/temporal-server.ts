import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { execa } from 'execa';
import { stringify } from 'yaml';
import { registerSearchAttributes } from '../../temporal/search-attributes.js';
import { chooseFreePort } from '../../services/index.js';
import { startPostgres } from './postgres.js';
import type { TemporalFixture } from './temporal.js';

/** Later ones need a newer Go than they say. */
const VERSION = 'v1.32.1';
const PROGRAMS = { server: 'go.temporal.io/server/cmd/server', sql: 'go.temporal.io/server/cmd/tools/sql' };
/** The settings of the docs. */
const SETTINGS = resolve(import.meta.dirname, '../../deploy/temporal-dynamic-config.yaml');
const START_MS = 180_000;
const NAMESPACE = 'default';
const SCHEMAS = { temporal: 'temporal', temporal_visibility: 'visibility' };

/** `BENCH_TEST_TEMPORAL=server`: the production server with PostgreSQL, not the development one. */
export const wantsTemporalServer = (): boolean => process.env['BENCH_TEST_TEMPORAL'] === 'server';

/** Built by Go once, 5 to 15 minutes on two cores, and kept. */
async function builtPrograms(): Promise<Record<keyof typeof PROGRAMS, string>> {
  const bin = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'bench', `temporal-${VERSION}`);
  mkdirSync(bin, { recursive: true });
  for (const [name, module] of Object.entries(PROGRAMS)) {
    if (existsSync(join(bin, name))) continue;
    process.stderr.write(`building Temporal's ${name} ${VERSION}: minutes, once\n`);
    const scratch = mkdtempSync(join(bin, '.build-'));
    await execa('go', ['install', `${module}@${VERSION}`], { stderr: 'inherit', env: { GOBIN: scratch } });
    renameSync(join(scratch, name), join(bin, name));
    rmSync(scratch, { recursive: true });
  }
  return { server: join(bin, 'server'), sql: join(bin, 'sql') };
}

export interface TemporalServer extends TemporalFixture {
  /** kill -9; it restarts at once, and answers after a while. */
  crash(): Promise<void>;
}

/** A throw-away server as in production, on its own PostgreSQL. */
export async function startTemporalServer(ip = '127.0.0.1'): Promise<TemporalServer> {
  const programs = await builtPrograms();
  const postgres = await startPostgres({ maxConnections: 200 });
  const dir = mkdtempSync(join(tmpdir(), 'bench-temporal-server-'));
  const url = new URL(await postgres.createDatabase());
  const at = ['--plugin', 'postgres12', '--ep', '127.0.0.1', '-p', url.port, '-u', url.username, '--pw', 'unused'];
  for (const [database, schema] of Object.entries(SCHEMAS)) {
    const sql = (...args: string[]) => execa(programs.sql, [...at, '--db', database, ...args]);
    await sql('create-database');
    await sql('setup-schema', '-v', '0.0');
    await sql('update-schema', '--schema-name', `postgresql/v12/${schema}`);
  }
  const port = await chooseFreePort(dir);
  writeFileSync(join(dir, 'config.yaml'), stringify(await configuration({ dir, ip, port, database: url })));
  const log: string[] = [];
  const go = (): ChildProcess => {
    const args = ['--config-file', join(dir, 'config.yaml'), '--allow-no-auth', 'start'];
    const server = spawn(programs.server, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [server.stdout, server.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        log.push(text);
        if (log.length > 50) log.shift();
      });
    return server;
  };
  const kill = async (server: ChildProcess): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once('close', resolve));
    server.kill('SIGKILL');
    await ended;
  };
  let running = go();
  const address = `${ip}:${port}`;
  try {
    await withNamespace(address, running);
  } catch (error) {
    running.kill('SIGKILL');
    await postgres.stop();
    throw new Error(`Temporal's server did not start: ${(error as Error).message}\n${log.join('')}`, { cause: error });
  }
  return {
    address,
    async crash() {
      if (running.exitCode !== null) throw new Error(`Temporal's server ended by itself\n${log.join('')}`);
      await kill(running);
      running = go();
    },
    async stop() {
      await kill(running);
      await postgres.stop();
      rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}

/** There is none at first, and its services notice it one after the other. */
async function withNamespace(address: string, server: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_MS;
  for (let registered = false; ;) {
    try {
      const connection = await Connection.connect({ address, connectTimeout: 5000 });
      try {
        const workflowExecutionRetentionPeriod = msToTs('3 days');
        if (!registered)
          await connection.workflowService.registerNamespace({
            namespace: NAMESPACE,
            workflowExecutionRetentionPeriod,
          });
        registered = true;
        await connection.workflowService.describeNamespace({ namespace: NAMESPACE });
      } finally {
        await connection.close();
      }
      return await registerSearchAttributes(address, NAMESPACE, {});
    } catch (error) {
      if (Date.now() > deadline || server.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

async function configuration(at: { dir: string; ip: string; port: number; database: URL }): Promise<object> {
  const store = (databaseName: string, maxConns: number) => ({
    sql: {
      ...{ pluginName: 'postgres12', databaseName, connectAddr: at.database.host, connectProtocol: 'tcp' },
      ...{ user: at.database.username, password: 'unused', maxConns, maxIdleConns: maxConns, maxConnLifetime: '1h' },
    },
  });
  const port = (name: string) => chooseFreePort(join(at.dir, name));
  const inner = async (name: string) => ({
    rpc: { grpcPort: await port(name), membershipPort: await port(`${name}-members`), bindOnIP: '127.0.0.1' },
  });
  const frontend = `${at.ip}:${at.port}`;
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      ...{ defaultStore: 'default', visibilityStore: 'visibility', numHistoryShards: 4 },
      datastores: { default: store('temporal', 20), visibility: store('temporal_visibility', 4) },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: {
      frontend: { rpc: { grpcPort: at.port, membershipPort: await port('frontend-members'), bindOnIP: at.ip } },
      ...{ matching: await inner('matching'), history: await inner('history'), worker: await inner('worker') },
    },
    clusterMetadata: {
      ...{ enableGlobalNamespace: false, failoverVersionIncrement: 10 },
      ...{ masterClusterName: 'active', currentClusterName: 'active' },
      clusterInformation: {
        active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: frontend },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    archival: { history: { state: 'disabled' }, visibility: { state: 'disabled' } },
    publicClient: { hostPort: frontend },
    dynamicConfigClient: { filepath: SETTINGS, pollInterval: '10s' },
  };
}
