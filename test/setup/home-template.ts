import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '../../db/migrate.js';
import { servicePaths } from '../../services/home-paths.js';
import { chooseFreePort, choosePostgresUser, findPostgres } from '../../services/index.js';
import {
  initialisePostgres,
  POSTGRES_ENV,
  postgresCommand,
  postgresPassword,
  postgresUrl,
} from '../../services/postgres-server.js';

const VARIABLE = 'BENCH_TEST_HOME_TEMPLATE';
const START_MS = 180_000;

/**
 * Saves each home a second of two cores. The database has no rows, so each home becomes its own
 * installation. `ServicesHome` and examples.test.ts begin empty, like users' homes.
 */
export async function prepareHomeTemplate(scratch: string): Promise<void> {
  if (process.env[VARIABLE] !== undefined) return;
  const place = join(scratch, 'home-template');
  process.env[VARIABLE] = place;
  const making = mkdtempSync(join(scratch, 'home-template-new-'));
  const paths = servicePaths(making);
  mkdirSync(dirname(paths.layout.postgresData), { recursive: true });
  const user = choosePostgresUser({ home: making, dataDir: paths.layout.postgresData, binaries: findPostgres() });
  // If data must be elsewhere, or belong to another user, homes begin empty.
  if (user.kind === 'nobody') return;
  const password = postgresPassword(paths.postgresPassword);
  await initialisePostgres(user, password);
  // Tests kill processes; none cuts the machine's power.
  appendFileSync(join(user.dataDir, 'postgresql.conf'), 'fsync = off\n');
  const port = await chooseFreePort(making);
  const [command, ...args] = postgresCommand(user, port);
  const server = spawn(command, args, { stdio: 'ignore', env: POSTGRES_ENV, cwd: dirname(user.dataDir) });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  try {
    const url = postgresUrl(port, password);
    await answering(url);
    await migrate(url);
  } finally {
    server.kill('SIGINT');
    await ended;
  }
  renameSync(making, place);
}

async function answering(connectionString: string): Promise<void> {
  for (const deadline = Date.now() + START_MS; ; await sleep(50)) {
    const client = new pg.Client({ connectionString });
    client.on('error', () => undefined);
    try {
      return void (await client.connect());
    } catch (error) {
      if (Date.now() > deadline) throw error;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** Call it before anything starts in this home. Without the set-up, the home begins empty. */
export function beginFromTemplate(home: string): void {
  const place = process.env[VARIABLE];
  if (place === undefined || !existsSync(place)) return;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  execFileSync('cp', ['-a', join(place, 'postgres'), home]);
}
