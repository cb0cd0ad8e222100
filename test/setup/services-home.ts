import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { ServiceEndpoints } from '../../domain/home/services.js';
import { ensureServices, stopServices, type EnsureOptions, type ServicesSettings } from '../../services/index.js';
import { servicePaths } from '../../services/home-paths.js';
import { identify, waitUntilGone } from '../../services/process-identity.js';
import { readServicesFile, type ServiceName, type ServicesFile } from '../../services/services-file.js';

/** Stands in for a worker: shows its settings, reports ready, and ends when signalled. */
const STAND_IN = `
require('node:fs').writeFileSync(process.env.BENCH_READY_FILE, String(process.pid));
console.log('stand-in worker ' + JSON.stringify({
  database: process.env.DATABASE_URL, temporal: process.env.TEMPORAL_ADDRESS, note: process.env.BENCH_NOTE, lab: process.env.LAB_ADDRESS,
}));
setInterval(() => undefined, 1000);
process.on('SIGTERM', () => process.exit(0));
`;

export class ServicesHome {
  readonly dir: string;
  readonly paths: ReturnType<typeof servicePaths>;

  constructor(dir: string = mkdtempSync(join(tmpdir(), 'bench-services-'))) {
    this.dir = dir;
    this.paths = servicePaths(dir);
  }

  settings(change: Partial<ServicesSettings> = {}): ServicesSettings {
    const env = Object.fromEntries(
      Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    return {
      home: this.dir,
      temporalNamespace: 'default',
      cacheDir: join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'bench'),
      worker: 'embedded',
      workerCommand: [process.execPath, '-e', STAND_IN],
      env,
      ...change,
    };
  }

  ensure(change: Partial<ServicesSettings> = {}, options: Partial<EnsureOptions> = {}): Promise<ServiceEndpoints> {
    return ensureServices({ settings: this.settings(change), ...options });
  }

  file(): ServicesFile {
    const file = readServicesFile(this.paths.layout.servicesFile);
    if (file === null) throw new Error(`no services.json in ${this.dir}`);
    return file;
  }

  pid(name: ServiceName | 'supervisor' | 'guardian'): number {
    const { supervisor, services } = this.file();
    const process =
      name === 'supervisor' ? supervisor : name === 'guardian' ? supervisor?.guardian : services[name]?.process;
    if (!process) throw new Error(`no process is recorded for ${name} in ${this.dir}`);
    return process.pid;
  }

  /** kill -9, and wait for death: the signal arrives only after `kill` returns. */
  async kill(name: ServiceName | 'supervisor' | 'guardian'): Promise<void> {
    const identity = identify(this.pid(name));
    if (identity === null) throw new Error(`${name} of ${this.dir} is dead already`);
    process.kill(identity.pid, 'SIGKILL');
    await waitUntilGone(identity, 180_000);
  }

  log(name: ServiceName | 'supervisor'): string {
    return readFileSync(name === 'supervisor' ? this.paths.supervisorLog : this.paths.log(name), 'utf8');
  }

  async remove(): Promise<void> {
    await stopServices({ home: this.dir });
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

export async function query(databaseUrl: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** The message names the condition that did not come true. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 300_000;
  for (;;) {
    const start = performance.now();
    if (await condition()) return;
    if (Date.now() > deadline) throw new Error(`still not true after 300 s: ${what}`);
    // Slow conditions are polled less often: other tests share the cores.
    const pause = Math.min(1_000, Math.max(25, 4 * (performance.now() - start)));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
