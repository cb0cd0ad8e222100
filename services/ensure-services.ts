import { existsSync, readFileSync } from 'node:fs';
import { BenchError } from '../domain/errors.js';
import type { ServiceEndpoints } from '../domain/home/services.js';
import { type TemporalAccess, temporalAccess } from '../domain/home/temporal-access.js';
import { buildOf, isElsewhere, refuseOlder, type Build } from './build.js';
import { checkExternalDatabase, checkExternalTemporal, databaseError } from './external-services.js';
import { isDown, ServicesDown, unmarkDown } from './down-mark.js';
import { findTemporal } from './find-temporal.js';
import { servicePaths } from './home-paths.js';
import { lastLogLines } from './log-file.js';
import { FairTimeout, readThreads } from './fair-timeout.js';
import { POSTGRES_DATABASE, POSTGRES_USER, postgresUrl } from './postgres-server.js';
import { probePostgres } from './postgres-probe.js';
import { homeError, prepareHome } from './prepare-home.js';
import { isAlive, signal, type ProcessIdentity } from './process-identity.js';
import { readServicesFile, writeFileAtomically, type ServicesFile } from './services-file.js';
import { startSupervisor, supervisorEntry } from './start-supervisor.js';
import { stopServices } from './stop-services.js';
import {
  fingerprintOf,
  goneSettings,
  migrationMark,
  settingsIn,
  workerDiffers,
  workerFingerprint,
  type SupervisorOptions,
  type WorkerCommand,
} from './supervisor-options.js';
import { temporalVariables } from './temporal-certificate.js';
import { probeTemporal } from './temporal-probe.js';

export interface ServicesSettings {
  home: string;
  /** Replaces an embedded one; only checked. */
  databaseUrl?: string | undefined;
  temporalAddress?: string | undefined;
  temporalNamespace: string;
  cacheDir: string;
  /** `external`: none is started here. */
  worker: 'embedded' | 'external';
  workerCommand: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Variables that the model files name; a change counts as a change of the worker's settings. */
  modelVariables?: { keys: readonly string[]; addresses: readonly string[] };
}

export interface EnsureOptions {
  settings: ServicesSettings;
  /** Updates the schema whenever the database answers; must be safe to call concurrently. */
  migrate?: (databaseUrl: string) => Promise<unknown>;
  /** Register our search attributes at an external Temporal server; the embedded one has them. */
  registerSearchAttributes?: (address: string, namespace: string, access: TemporalAccess) => Promise<void>;
  /** Throws if another database uses the namespace. Skipped for embedded servers with a worker. */
  claimNamespace?: (endpoints: ServiceEndpoints) => Promise<void>;
  /** The schema against this build's; null: it cannot be asked. Throws for a newer one. */
  schemaOf?: (databaseUrl: string) => Promise<'current' | 'behind' | null>;
  /** The command is read-only: running services are not replaced, those that are down stay down. */
  looksOnly?: boolean;
  onProgress?: (line: string) => void;
  /** The worker drops settings, except keys, that this command does not have. */
  renewWorker?: boolean;
  /** Called once the database's schema is current. `awaitOthers`: this call started the others. */
  onDatabase?: (database: { databaseUrl: string; awaitOthers: boolean }) => void;
  /** Aborted: the caller no longer waits, and nothing more is started. */
  signal?: AbortSignal;
  /** For tests: how PostgreSQL is run as root, and where Temporal's ports are. */
  postgresUser?: SupervisorOptions['postgresUser'];
  temporalRoom?: SupervisorOptions['temporalRoom'];
}

/** Limit without progress, in usable seconds (`FairTimeout`), per service and supervisor start. */
const STUCK_AFTER_MS = 120_000;
/** While a service starts. Hanging services are ended, so this catches a hanging supervisor. */
const START_STUCK_AFTER_MS = 15 * 60_000;
/** Do not probe again within this time while the supervisor reports health. */
const FRESH_MS = 1000;
/** Show progress after this long, so that the command does not seem to hang. */
const WAIT_LINE_MS = 4000;

/** Starts a home's services, and returns when they answer. Callers share one supervisor. */
export async function ensureServices(options: EnsureOptions): Promise<ServiceEndpoints> {
  const waiting: Waiting = { for: 'the services' };
  const began = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - began) / 1000);
    options.onProgress?.(`waiting for ${waiting.for} … ${seconds} s`);
  }, WAIT_LINE_MS);
  try {
    return await ensure(options, waiting);
  } finally {
    clearInterval(timer);
  }
}

interface Waiting {
  for: string;
}

async function ensure(options: EnsureOptions, waiting: Waiting): Promise<ServiceEndpoints> {
  const { settings } = options;
  const external = { database: settings.databaseUrl ?? null, temporal: settings.temporalAddress ?? null };
  waiting.for = 'the database at DATABASE_URL';
  if (external.database !== null) await checkExternalDatabase(external.database);
  if (external.database !== null && options.onDatabase !== undefined) {
    await migrateWith(options, external.database);
    options.onDatabase({ databaseUrl: external.database, awaitOthers: false });
  }
  waiting.for = 'the Temporal server at TEMPORAL_ADDRESS';
  // Only the embedded database starts first, for a caller that needs it.
  const databaseFirst = external.database === null && options.onDatabase !== undefined;
  if (external.temporal !== null && !databaseFirst)
    await checkExternalTemporal(external.temporal, settings.temporalNamespace, accessOf(settings));

  const wantsWorker = settings.worker === 'embedded';
  if (external.database !== null && external.temporal !== null && !wantsWorker) {
    waiting.for = 'the schema and the namespace';
    await migrateWith(options, external.database);
    await options.registerSearchAttributes?.(external.temporal, settings.temporalNamespace, accessOf(settings));
    const endpoints = {
      databaseUrl: external.database,
      temporalAddress: external.temporal,
      temporalNamespace: settings.temporalNamespace,
      temporalVariables: {},
      embedded: { postgres: false, temporal: false, worker: false },
    };
    await options.claimNamespace?.(endpoints);
    return endpoints;
  }
  return new EnsureSupervised(options, waiting).run();
}

function describe(file: ServicesFile | null): string {
  const states = Object.entries(file?.services ?? {}).flatMap(([name, { status, lastExit }]) =>
    status === 'healthy'
      ? []
      : [`${name} (${status}${status === 'backoff' && lastExit !== null ? `: ${lastExit}` : ''})`],
  );
  return states.length === 0 ? 'the services' : states.join(', ');
}

const accessOf = ({ env }: ServicesSettings) => temporalAccess(env, (path) => readFileSync(path));

async function migrateWith(options: EnsureOptions, databaseUrl: string): Promise<void> {
  try {
    await options.migrate?.(databaseUrl);
  } catch (error) {
    throw databaseError(databaseUrl, error);
  }
}

class EnsureSupervised {
  private readonly paths: ReturnType<typeof servicePaths>;
  private readonly build: Build;
  private readonly worker: WorkerCommand | null;
  private migrated = false;
  private claimed = false;
  private handedOver: string | null = null;
  private lastStart = -Infinity;
  private guardian: ProcessIdentity | null = null;
  private starts = 0;
  /** Wall clock; failures recorded before it are ignored. */
  private startedAt = Infinity;
  private readonly began = performance.now();
  private readonly steps = new Set<string>();
  private answered = { servers: '', at: -Infinity };
  private waits: Record<'idle' | 'starting', FairTimeout> | null = null;

  constructor(
    private readonly options: EnsureOptions,
    private readonly waiting: Waiting,
  ) {
    const { settings } = options;
    this.paths = servicePaths(settings.home);
    this.build = buildOf(supervisorEntry());
    const { keys = [], addresses = [] } = settings.modelVariables ?? {};
    this.worker =
      settings.worker === 'embedded'
        ? {
            ...{ command: [...settings.workerCommand], env: { ...settings.env } },
            ...{ keys: [...keys], addresses: [...addresses] },
          }
        : null;
  }

  private noteStep(file: ServicesFile | null): void {
    const services = Object.entries(file?.services ?? {}).map(([name, { status }]) => `${name} ${status}`);
    const step = [isAlive(file?.supervisor), file?.status, this.starts, this.migrated, this.claimed, ...services];
    if (this.steps.has(step.join())) return;
    this.steps.add(step.join());
    this.renewTimeouts();
  }

  /** Made by the first wait: most commands have none. */
  private get timeouts(): Record<'idle' | 'starting', FairTimeout> {
    return (this.waits ??= {
      idle: new FairTimeout(STUCK_AFTER_MS, () => readThreads(process.pid)),
      starting: new FairTimeout(START_STUCK_AFTER_MS, () => readThreads(process.pid)),
    });
  }

  private renewTimeouts(): void {
    this.timeouts.idle.renew();
    this.timeouts.starting.renew();
  }

  private isStuck(file: ServicesFile | null): boolean {
    const starting = Object.values(file?.services ?? {}).some(
      ({ status, process }) => status === 'starting' && isAlive(process),
    );
    return this.timeouts[starting && isAlive(file?.supervisor) ? 'starting' : 'idle'].isOver();
  }

  async run(): Promise<ServiceEndpoints> {
    for (;;) {
      this.options.signal?.throwIfAborted();
      const file = readServicesFile(this.paths.layout.servicesFile);
      this.waiting.for = describe(file);
      if (file?.failure && file.failure.at >= this.startedAt) throw this.startFailure(file);
      if (file === null || !isAlive(file.supervisor)) {
        // Ours has not written its file yet, or lost the race for the home: let the winner start.
        if (!isAlive(this.guardian) && performance.now() - this.lastStart > 5000) await this.start(file);
      } else if (file.status === 'stopping' || file.status === 'failed') {
        // It is shutting down.
        if (this.options.looksOnly === true && isDown(this.options.settings.home))
          throw new ServicesDown(this.options.settings.home);
      } else {
        this.refuseOtherServices(file);
        const does = await this.withBuildOf(file);
        if (does === 'replace') {
          this.say('the running services belong to another build; restarting them');
          this.waiting.for = 'those services to stop';
          await stopServices({ home: this.options.settings.home });
          this.lastStart = -Infinity;
          this.guardian = null;
          continue;
        }
        const endpoints = does === 'use' ? await this.advance(file) : null;
        if (endpoints) {
          if (this.starts > 0)
            this.say(`services are up after ${((performance.now() - this.began) / 1000).toFixed(1)} s`);
          return endpoints;
        }
      }
      this.noteStep(file);
      if (this.isStuck(file)) throw this.timeout(file);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  /**
   * Another build's services are used where its schema is ours: by commands that only read, and by
   * another install, so that two do not restart them in turn.
   */
  private async withBuildOf({ supervisor, ...file }: ServicesFile): Promise<'use' | 'wait' | 'replace'> {
    const { settings, looksOnly = false } = this.options;
    if (supervisor === null || supervisor.build.hash === this.build.hash) return 'use';
    refuseOlder(settings.home, this.build, supervisor.build);
    const url = await this.answeringDatabase(file);
    const schema = url === null ? null : ((await this.options.schemaOf?.(url)) ?? null);
    if (!looksOnly && !isElsewhere(this.build, supervisor.build)) return 'replace';
    if (schema === 'current') return 'use';
    if (!looksOnly) return schema === null ? 'wait' : 'replace';
    if (schema === null) return 'wait';
    throw new BenchError('services', `the services of ${settings.home} run another build, which has an older schema`, {
      code: 'home.in_use',
      remedy: 'Run `bench up` to restart them with this build.',
    });
  }

  /** Null: it does not answer. */
  private async answeringDatabase(file: Omit<ServicesFile, 'supervisor'>): Promise<string | null> {
    const { databaseUrl } = this.options.settings;
    if (databaseUrl !== undefined) return databaseUrl;
    if (file.services.postgres?.status !== 'healthy' || !(await this.postgresAnswers(file))) return null;
    return this.embeddedDatabaseUrl(file);
  }

  private async advance(file: ServicesFile): Promise<ServiceEndpoints | null> {
    const { settings } = this.options;
    const { postgres, temporal, worker } = file.services;
    const embedded = { postgres: settings.databaseUrl === undefined, temporal: settings.temporalAddress === undefined };
    if (embedded.postgres && postgres?.status !== 'healthy') return null;
    const databaseUrl = settings.databaseUrl ?? this.embeddedDatabaseUrl(file);
    if (databaseUrl === null) return null;
    const servers = [postgres, temporal].map((service) => service?.process?.pid).join();
    const fresh = this.answered.servers === servers && performance.now() - this.answered.at < FRESH_MS;
    if (embedded.postgres && !fresh && !(await this.postgresAnswers(file))) return null;
    if (!this.migrated) {
      await migrateWith(this.options, databaseUrl);
      this.migrated = true;
      this.options.onDatabase?.({ databaseUrl, awaitOthers: this.starts > 0 && embedded.temporal });
    }
    if (embedded.temporal && temporal?.status !== 'healthy') return null;
    const temporalAddress = settings.temporalAddress ?? `127.0.0.1:${file.ports.temporal}`;
    const variables = embedded.temporal && file.temporalTls ? temporalVariables(this.paths) : {};
    if (embedded.temporal && !fresh && !(await this.temporalAnswers(temporalAddress, variables))) return null;
    if (!fresh) this.answered = { servers, at: performance.now() };
    const endpoints = {
      databaseUrl,
      temporalAddress,
      temporalNamespace: settings.temporalNamespace,
      temporalVariables: variables,
      embedded: { ...embedded, worker: file.services.worker !== undefined },
    };
    if (!this.claimed) {
      if (!embedded.temporal)
        await this.options.registerSearchAttributes?.(temporalAddress, settings.temporalNamespace, accessOf(settings));
      if (!embedded.postgres || !embedded.temporal || worker?.status !== 'healthy')
        await this.options.claimNamespace?.(endpoints);
      this.claimed = true;
      // The supervisor's worker starts with this.
      this.markMigrated();
    }
    if (this.worker !== null) {
      if (this.handOverWorker(file)) return null;
      if (worker?.status !== 'healthy') {
        if (this.starts > 0 && (worker?.restarts ?? 0) >= 3) throw this.workerFailure(worker?.lastExit ?? null);
        return null;
      }
    }
    return endpoints;
  }

  private async start(before: ServicesFile | null): Promise<void> {
    const { settings } = this.options;
    if (this.starts >= 3) throw this.timeout(before);
    if (isDown(settings.home)) {
      if (this.options.looksOnly === true) throw new ServicesDown(settings.home);
      unmarkDown(settings.home);
    }
    prepareHome(settings.home);
    let temporalBinary: string | null = null;
    if (settings.temporalAddress === undefined) {
      this.waiting.for = 'the Temporal program';
      const progress = this.options.onProgress;
      const found = await findTemporal({
        env: settings.env,
        cacheDir: settings.cacheDir,
        onWait: (what) => (this.waiting.for = what),
        ...(progress === undefined ? {} : { onProgress: progress }),
      });
      temporalBinary = found.path;
      this.renewTimeouts();
    }
    const present = readServicesFile(this.paths.layout.servicesFile);
    if (isAlive(present?.supervisor)) return;
    this.say(
      existsSync(this.paths.layout.postgresData)
        ? `starting the services of ${settings.home} …`
        : `setting up ${settings.home} and starting its services …`,
    );
    this.starts += 1;
    this.startedAt = Math.min(this.startedAt, Date.now());
    this.lastStart = performance.now();
    this.guardian = startSupervisor(
      {
        home: settings.home,
        databaseUrl: settings.databaseUrl ?? null,
        temporalAddress: settings.temporalAddress ?? null,
        temporalNamespace: settings.temporalNamespace,
        temporalBinary,
        worker: this.worker,
        build: this.build,
        ...(this.options.postgresUser === undefined ? {} : { postgresUser: this.options.postgresUser }),
        ...(this.options.temporalRoom === undefined ? {} : { temporalRoom: this.options.temporalRoom }),
      },
      this.paths.supervisorLog,
    ).guardian;
  }

  /** One database per home: terminals that disagree must not restart each other's services. */
  private refuseOtherServices(file: ServicesFile): void {
    const { settings } = this.options;
    const wanted = {
      database: settings.databaseUrl === undefined ? null : fingerprintOf(settings.databaseUrl),
      temporal: settings.temporalAddress === undefined ? null : fingerprintOf(settings.temporalAddress),
    };
    const refuse = (what: string, variable: string): never => {
      throw new BenchError(
        'services',
        `the home ${settings.home} is running with a different ${what} than ${variable} names`,
        {
          code: 'home.in_use',
          remedy: `run \`bench down\` first, set BENCH_HOME to another directory, or set ${variable} back to its old value`,
        },
      );
    };
    if (file.external.database !== wanted.database) refuse('database', 'DATABASE_URL');
    if (file.external.temporal !== wanted.temporal) refuse('Temporal server', 'TEMPORAL_ADDRESS');
    if (file.temporalNamespace !== settings.temporalNamespace) refuse('namespace', 'TEMPORAL_NAMESPACE');
  }

  private embeddedDatabaseUrl(file: Pick<ServicesFile, 'ports'>): string | null {
    if (file.ports.postgres === undefined) return null;
    try {
      return postgresUrl(file.ports.postgres, readFileSync(this.paths.postgresPassword, 'utf8').trim());
    } catch {
      return null;
    }
  }

  private async postgresAnswers(file: Pick<ServicesFile, 'ports'>): Promise<boolean> {
    const port = file.ports.postgres ?? 0;
    const address = { host: '127.0.0.1', port, user: POSTGRES_USER, database: POSTGRES_DATABASE };
    return (await probePostgres(address)) === 'ready';
  }

  private async temporalAnswers(address: string, variables: Record<string, string>): Promise<boolean> {
    const access = temporalAccess(variables, (path) => readFileSync(path));
    return (await probeTemporal(address, this.options.settings.temporalNamespace, 3000, access)).kind === 'ok';
  }

  private markMigrated(): void {
    const mark = migrationMark({ build: this.build, databaseUrl: this.options.settings.databaseUrl ?? null });
    try {
      if (existsSync(this.paths.migrated) && readFileSync(this.paths.migrated, 'utf8') === mark) return;
      writeFileAtomically(this.paths.migrated, mark);
    } catch (error) {
      throw homeError(this.options.settings.home, error);
    }
  }

  /** Passes our worker on if the supervisor has none, an older build or other keys. */
  private handOverWorker(file: ServicesFile): boolean {
    const worker = this.worker;
    if (worker === null) return false;
    const running = file.services.worker?.fingerprint;
    // A reader replaces no worker that runs; another install does for other settings alone.
    if (running !== undefined && this.options.looksOnly === true) return false;
    const elsewhere = file.supervisor !== null && isElsewhere(this.build, file.supervisor.build);
    const all = workerFingerprint(worker);
    const wanted = running !== undefined && elsewhere ? settingsIn(all) : all;
    const gone = this.options.renewWorker === true ? goneSettings(running, wanted, worker) : [];
    if (gone.length === 0 && !workerDiffers(running, wanted)) return false;
    const key = JSON.stringify([wanted, gone]);
    if (this.handedOver !== key) {
      const left = gone.length === 0 ? '' : ` (${gone.join(', ')} no longer set)`;
      this.say(
        file.services.worker ? `restarting the worker: newer build or other settings${left}` : 'starting a worker',
      );
      writeFileAtomically(this.paths.handover, JSON.stringify({ worker, gone }));
      signal(file.supervisor, 'SIGHUP');
      this.handedOver = key;
    }
    return true;
  }

  private startFailure(file: ServicesFile): BenchError {
    const failure = file.failure ?? {
      service: 'services',
      message: 'they did not start',
      log: this.paths.supervisorLog,
    };
    return this.failure(`${failure.service} did not start: ${failure.message}`, failure.log);
  }

  private workerFailure(lastExit: string | null): BenchError {
    return this.failure(`the worker does not stay up: ${lastExit ?? 'unknown reason'}`, this.paths.log('worker'));
  }

  private timeout(file: ServicesFile | null): BenchError {
    const states = Object.entries(file?.services ?? {}).map(([name, { status }]) => `${name} ${status}`);
    const seconds = Math.round((performance.now() - this.began) / 1000);
    const detail = states.length === 0 ? 'the supervisor did not start' : states.join(', ');
    return this.failure(`the services are not up after ${seconds} s: ${detail}`, this.paths.supervisorLog);
  }

  private failure(message: string, log: string): BenchError {
    const lines = lastLogLines(log);
    const shown = lines.length === 0 ? '' : `\nlast lines of ${log}:\n${lines.map((line) => `  ${line}`).join('\n')}`;
    return new BenchError('services', `${message}${shown}`, {
      code: 'services.start_failed',
      remedy: `read ${log}; run \`bench doctor\` to check what the services need`,
    });
  }

  private say(line: string): void {
    this.options.onProgress?.(line);
  }
}
