import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import pg from 'pg';
import { lightConfigs } from '../../benchmarks/light-configs.js';
import type { TextStream } from '../../cli/output.js';
import { type Database, openDatabase } from '../../db/index.js';
import { checkPrinted } from './printed-document.js';
import { unmountBelow } from '../../benchmarks/unmount-below.js';
import { servicePaths } from '../../services/home-paths.js';
import { embeddedDatabaseUrl } from '../../services/index.js';
import { isAlive } from '../../services/process-identity.js';
import { readServicesFile } from '../../services/services-file.js';
import { endHome } from './end-home.js';
import { beginFromTemplate } from './home-template.js';

const MAIN = resolve(import.meta.dirname, '../../dist/cli/main.js');
/** The bundled tasks for users: ten thousand game rounds, seconds of two cores each. */
export const BUNDLED_CONFIGS = resolve(import.meta.dirname, '../../configs');
const GAMES = 1000;

let configs: string | undefined;
/** The bundled tasks with few games, for this process; global.ts removes them. */
export function testConfigs(): string {
  const parent = process.env['BENCH_TEST_SCRATCH'] ?? tmpdir();
  configs ??= lightConfigs(BUNDLED_CONFIGS, join(mkdtempSync(join(parent, 'bench-test-configs-')), 'configs'), GAMES);
  return configs;
}

class Kept implements TextStream {
  text = '';

  write(text: string): void {
    this.text += text;
  }
}

export interface BenchResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Embedded services and a real worker; games are few, unless BENCH_CONFIGS says otherwise. */
export class BenchHome {
  readonly dir: string;
  readonly env: Record<string, string>;
  #databaseUrl: string | undefined;
  #database: Database | undefined;

  /** `bare`: an empty folder; else with a migrated, empty database. */
  constructor(env: Record<string, string> = {}, { bare = false } = {}) {
    this.dir = mkdtempSync(join(tmpdir(), 'bench-test-'));
    this.env = { BENCH_HOME: this.dir, NO_COLOR: '1', BENCH_CONFIGS: testConfigs(), ...env };
    if (!bare && env['DATABASE_URL'] === undefined) beginFromTemplate(this.dir);
  }

  start(...args: string[]) {
    return execa(process.execPath, [MAIN, ...args], { env: this.env, reject: false, stdin: 'ignore', cwd: this.dir });
  }

  /** Checks output with --json against the schema of the command. */
  async run(...args: string[]): Promise<BenchResult> {
    const result = await this.start(...args);
    const stdout = String(result.stdout);
    // A signal may have cut the output.
    if (args.includes('--json') && result.exitCode !== undefined && stdout !== '')
      checkPrinted(args, JSON.parse(stdout));
    return { exitCode: result.exitCode ?? -1, stdout, stderr: String(result.stderr) };
  }

  /** Runs in this process, which is faster. Throws on an exit code, or output that is not JSON. */
  async json<T>(...args: string[]): Promise<T> {
    const { runCommand } = await import('../../cli/run-command.js');
    const [stdout, stderr] = [new Kept(), new Kept()];
    const caller = { env: { ...process.env, ...this.env }, cwd: this.dir, stdout, stderr };
    const exitCode = await runCommand([...args, '--json'], caller);
    if (exitCode !== 0)
      throw new Error(`bench ${args.join(' ')} exited with ${exitCode}\n${stdout.text}\n${stderr.text}`);
    const document = JSON.parse(stdout.text) as T;
    checkPrinted([...args, '--json'], document);
    return document;
  }

  /** The same in its own process, with the home's folder as working directory. */
  async processJson<T>(...args: string[]): Promise<T> {
    const result = await this.run(...args, '--json');
    if (result.exitCode !== 0)
      throw new Error(`bench ${args.join(' ')} exited with ${result.exitCode}\n${result.stdout}\n${result.stderr}`);
    return JSON.parse(result.stdout) as T;
  }

  /** Queries the home's Postgres as owner; waits up to three minutes while it is down. */
  async sql<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    const connectionString = await this.#url();
    const deadline = Date.now() + 180_000;
    for (;;) {
      const client = new pg.Client({ connectionString });
      client.on('error', () => undefined);
      try {
        await client.connect();
        return (await client.query<Row>(text, values)).rows;
      } catch (error) {
        const away = !(error instanceof pg.DatabaseError) || (error.code ?? '').startsWith('57');
        if (!away || Date.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 250));
      } finally {
        await client.end().catch(() => undefined);
      }
    }
  }

  /** The commands' queries without a process each, for polling. */
  async queries(): Promise<Database['queries']> {
    this.#database ??= openDatabase(await this.#url());
    return this.#database.queries;
  }

  async #url(): Promise<string> {
    // The port is stable over restarts.
    return (this.#databaseUrl ??= this.#urlOfRunning() ?? (await this.json<{ databaseUrl: string }>('up')).databaseUrl);
  }

  /** Needs no process once a command has started everything. */
  #urlOfRunning(): string | null {
    const { layout, migrated } = servicePaths(this.dir);
    const file = readServicesFile(layout.servicesFile);
    const up = file?.services.postgres?.status === 'healthy' && isAlive(file.supervisor) && existsSync(migrated);
    return up ? embeddedDatabaseUrl(this.dir) : null;
  }

  async remove(): Promise<void> {
    await this.#database?.close();
    await endHome(this.dir, this.env);
    // Unfinished runs of a failed test keep their disks.
    unmountBelow(this.dir);
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}
