import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import pg from 'pg';

const MAIN = resolve(import.meta.dirname, '../../dist/cli/main.js');

export interface BenchResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** A throw-away BENCH_HOME with the built CLI pointed at it: embedded services, real worker. */
export class BenchHome {
  readonly dir: string;
  readonly env: Record<string, string>;
  #databaseUrl: string | undefined;

  constructor(env: Record<string, string> = {}) {
    this.dir = mkdtempSync(join(tmpdir(), 'bench-test-'));
    this.env = { BENCH_HOME: this.dir, NO_COLOR: '1', ...env };
  }

  /** Start the CLI; the caller awaits or signals it. */
  start(...args: string[]) {
    return execa(process.execPath, [MAIN, ...args], { env: this.env, reject: false, stdin: 'ignore', cwd: this.dir });
  }

  async run(...args: string[]): Promise<BenchResult> {
    const result = await this.start(...args);
    return { exitCode: result.exitCode ?? -1, stdout: String(result.stdout), stderr: String(result.stderr) };
  }

  /** Run with --json; fails loudly when the exit code is not 0 or the output is not one JSON document. */
  async json<T>(...args: string[]): Promise<T> {
    const result = await this.run(...args, '--json');
    if (result.exitCode !== 0)
      throw new Error(`bench ${args.join(' ')} exited with ${result.exitCode}\n${result.stdout}\n${result.stderr}`);
    return JSON.parse(result.stdout) as T;
  }

  /** Query the home's own Postgres, as its owner; while it is away (chaos tests kill it) this waits, at most 30 s. */
  async sql<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    // The port is kept over restarts.
    this.#databaseUrl ??= (await this.json<{ databaseUrl: string }>('up')).databaseUrl;
    for (let attempt = 1; ; attempt++) {
      const client = new pg.Client({ connectionString: this.#databaseUrl });
      client.on('error', () => undefined);
      try {
        await client.connect();
        return (await client.query<Row>(text, values)).rows;
      } catch (error) {
        const away = !(error instanceof pg.DatabaseError) || (error.code ?? '').startsWith('57');
        if (!away || attempt === 60) throw error;
        await new Promise((resolve) => setTimeout(resolve, 500));
      } finally {
        await client.end().catch(() => undefined);
      }
    }
  }

  /** Stop everything and remove the home. */
  async remove(): Promise<void> {
    await this.run('down', '--force');
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
