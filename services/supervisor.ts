import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { BenchError } from '../domain/errors.js';
import { lossyLines } from '../domain/text/lossy-lines.js';
import { temporalAccess, withoutTemporalAccess } from '../domain/home/temporal-access.js';
import { builtEntry } from './built-entry.js';
import { tryLock } from './file-lock.js';
import { chooseFreePort, listenForOther, portIsFree } from './free-port.js';
import { servicePaths } from './home-paths.js';
import { findPostgres } from './postgres-binaries.js';
import { recordBothDied, recordServiceFault, showAlive } from './service-faults.js';
import { probePostgres } from './postgres-probe.js';
import {
  clearWayForPostgres,
  initialisePostgres,
  POSTGRES_DATABASE,
  POSTGRES_ENV,
  POSTGRES_USER,
  postgresCommand,
  postgresPassword,
  postgresUrl,
} from './postgres-server.js';
import { adoptGuardian } from './start-supervisor.js';
import { choosePostgresUser } from './postgres-user.js';
import { commandLine, findProcesses, identify, isAlive, type ProcessIdentity } from './process-identity.js';
import { readServicesFile, writeServicesFile, type ServiceName, type ServicesFile } from './services-file.js';
import { endProcess, sleep, SupervisedService, type Launch, type ServiceDefinition } from './supervised-service.js';
import {
  fingerprintOf,
  handoverSchema,
  migrationMark,
  workerFingerprint,
  type SupervisorOptions,
} from './supervisor-options.js';
import { ensureTemporalCertificate, temporalVariables } from './temporal-certificate.js';
import { chooseTemporalRoom, type TemporalRoom } from './temporal-room.js';
import { TemporalStore } from './temporal-store.js';
import { temporalArguments } from './temporal-server.js';
import { probeTemporal } from './temporal-probe.js';

/** The worker gets time to hand its activities back, PostgreSQL a checkpoint. */
const STOP: Record<ServiceName, readonly (readonly [NodeJS.Signals, number])[]> = {
  worker: [
    ['SIGTERM', 20_000],
    ['SIGKILL', 5000],
  ],
  temporal: [
    ['SIGTERM', 10_000],
    ['SIGKILL', 5000],
  ],
  postgres: [
    ['SIGINT', 30_000],
    ['SIGQUIT', 5000],
    ['SIGKILL', 5000],
  ],
};

const WATCH_MS = 1000;

/** A home that was healthy once is never given up. */
const FIRST_START_ATTEMPTS = 3;

const stamped = (line: string): string => `${new Date().toISOString()} ${line}\n`;
/** The disk of the log may be full, and an error ends process.stdout for good. */
const print = lossyLines(
  (bytes) => writeSync(1, bytes),
  (lines) => stamped(`${lines} lines could not be written`),
);
const say = (line: string): void => print(stamped(line));

/**
 * Starts PostgreSQL and Temporal, then the worker; restarts them, and stops them in order on
 * SIGTERM. Returns then, or at once when the home has a supervisor.
 */
export async function runSupervisor(options: SupervisorOptions): Promise<void> {
  const paths = servicePaths(options.home);
  if (options.again && !existsSync(paths.own)) return; // The home was removed.
  for (const directory of [paths.own, paths.layout.logs, dirname(paths.layout.temporalDb)]) {
    mkdirSync(directory, { recursive: true });
  }
  const held = tryLock(paths.lock);
  if (held === null) {
    say('another supervisor has this home: nothing to do');
    return;
  }
  await new Supervisor(options).run();
  held.release();
}

class Supervisor {
  private readonly paths: ReturnType<typeof servicePaths>;
  private readonly file: ServicesFile;
  private readonly services: Partial<Record<ServiceName, SupervisedService>> = {};
  private readonly stop = new AbortController();
  private writeFailed = false;
  private guardian: ReturnType<typeof adoptGuardian> | null = null;
  private room: TemporalRoom | null = null;
  private readonly temporalStore: TemporalStore;

  constructor(private readonly options: SupervisorOptions) {
    this.paths = servicePaths(options.home);
    this.temporalStore = new TemporalStore(this.paths.layout.temporalDb, this.paths.log('temporal'));
    const previous = readServicesFile(this.paths.layout.servicesFile);
    // A guardian that restarts us reports what it knows.
    if (!options.again) recordBothDied(this.paths, previous?.supervisor);
    showAlive(this.paths);
    this.file = {
      version: 1,
      status: 'starting',
      failure: null,
      supervisor: {
        ...(identify(process.pid) ?? { pid: process.pid, startTime: 'unknown' }),
        startedAt: new Date().toISOString(),
        guardian: options.guardianPid === null ? null : identify(options.guardianPid),
        build: options.build,
      },
      ports: previous?.ports ?? {},
      temporalTls: false,
      temporalStore: previous?.temporalStore ?? false,
      postgresData: previous?.postgresData ?? null,
      external: {
        database: options.databaseUrl === null ? null : fingerprintOf(options.databaseUrl),
        temporal: options.temporalAddress === null ? null : fingerprintOf(options.temporalAddress),
      },
      temporalNamespace: options.temporalNamespace,
      // Keep the ids, though not as healthy, in case we die before they are replaced.
      services: Object.fromEntries(
        Object.entries(previous?.services ?? {}).map(([name, state]) => [
          name,
          { ...state, status: 'waiting' as const },
        ]),
      ),
    };
  }

  async run(): Promise<void> {
    say(
      `supervisor ${process.pid} of ${this.options.home}${this.options.again ? ', started again by its guardian' : ''}`,
    );
    process.on('SIGTERM', () => this.requestStop('SIGTERM'));
    process.on('SIGINT', () => this.requestStop('SIGINT'));
    process.on(
      'SIGHUP',
      () => void this.takeOver().catch((error: unknown) => say(`hand-over failed: ${String(error)}`)),
    );
    this.write();
    if (this.options.again) this.fault('supervisor', 'died, and was started again by its guardian');
    await this.endLeftovers();
    this.file.services = {};

    if (this.options.databaseUrl === null)
      this.add(
        'postgres',
        () => this.launchPostgres(),
        () => this.probePostgres(),
      );
    if (this.options.temporalAddress === null) {
      this.add(
        'temporal',
        () => this.launchTemporal(),
        () => this.probeTemporal(),
      );
    }
    this.addWorker();
    for (const service of Object.values(this.services)) service.start();
    this.write();
    const watch = setInterval(() => {
      showAlive(this.paths);
      this.leaveIfHomeIsGone();
      this.replaceGuardian();
      this.leaveDamagedStore();
    }, WATCH_MS);
    await new Promise<void>((resolve) => {
      if (this.stop.signal.aborted) resolve();
      this.stop.signal.addEventListener('abort', () => resolve());
    });
    clearInterval(watch);
    await this.stopAll();
    await this.guardian?.dismiss();
  }

  /** No other process would restart it. */
  private replaceGuardian(): void {
    const { supervisor } = this.file;
    if (this.stop.signal.aborted || supervisor === null || this.options.guardianPid === null) return;
    if (isAlive(supervisor.guardian)) return;
    say(`guardian: process ${supervisor.guardian?.pid ?? '(unknown)'} is gone; starting another one`);
    this.fault('guardian', 'died, and was started again by the supervisor');
    const { again: _again, guardianPid: _pid, ...given } = this.options;
    this.guardian = adoptGuardian(process.argv[1] ?? '', given, this.paths.supervisorLog);
    supervisor.guardian = this.guardian.pid === undefined ? null : identify(this.guardian.pid);
    this.write();
  }

  /** Its next start makes an empty store. */
  private leaveDamagedStore(): void {
    const { temporal } = this.services;
    if (temporal === undefined || this.stop.signal.aborted) return;
    const damage = this.temporalStore.damage();
    if (damage !== null) void temporal.restart(`the store is damaged: ${damage}`);
  }

  /** Its workflows are lost: the restarted worker starts PostgreSQL's unfinished work again. */
  private replaceDamagedStore(): void {
    const happened = this.temporalStore.prepare(this.file.temporalStore, new Date());
    if (happened === null) return;
    say(`temporal: ${happened}`);
    const at = new Date().toISOString();
    recordServiceFault(this.paths.layout.serviceFaults, {
      ...{ kind: 'store_replaced', service: 'temporal', at, reason: happened },
    });
    this.file.temporalStore = false;
    void this.services.worker?.restart('the workflows were lost');
  }

  private requestStop(why: string): void {
    if (this.stop.signal.aborted) return;
    say(`stopping (${why})`);
    if (this.file.status !== 'failed') this.file.status = 'stopping';
    this.write();
    this.stop.abort();
  }

  private async stopAll(): Promise<void> {
    for (const name of ['worker', 'temporal', 'postgres'] as const) await this.services[name]?.stop();
    if (this.file.status !== 'failed') this.file.status = 'stopped';
    this.file.supervisor = null;
    this.write();
    say('stopped');
  }

  private add(name: ServiceName, launch: (abort: AbortSignal) => Promise<Launch>, probe: ServiceDefinition['probe']) {
    const service = new SupervisedService(
      { name, log: this.paths.log(name), launch, probe, stopWith: STOP[name] },
      () => this.serviceChanged(),
      say,
      (reason) => this.fault(name, reason),
    );
    this.services[name] = service;
    this.file.services[name] = service.state;
  }

  private fault(service: string, reason: string): void {
    recordServiceFault(this.paths.layout.serviceFaults, { service, at: new Date().toISOString(), reason });
  }

  private addWorker(): void {
    const { worker } = this.options;
    if (worker === null || this.services.worker) return;
    this.add(
      'worker',
      (abort) => this.launchWorker(abort),
      (identity) => this.workerIsReady(identity),
    );
    const service = this.services.worker as SupervisedService | undefined;
    if (service) service.state.fingerprint = workerFingerprint(worker);
  }

  private serviceChanged(): void {
    const backing = [this.services.postgres, this.services.temporal].filter((service) => service !== undefined);
    if (this.services.temporal?.healthy === true) this.file.temporalStore = true;
    if (this.file.status === 'starting' && backing.every((service) => service.healthy)) this.file.status = 'running';
    if (this.file.status === 'starting' && !this.options.again) {
      for (const [name, service] of Object.entries(this.services)) {
        if (name === 'worker' || service.failures < FIRST_START_ATTEMPTS) continue;
        this.file.status = 'failed';
        this.file.failure = {
          service: name,
          message: service.state.lastExit ?? 'it did not start',
          log: this.paths.log(name as ServiceName),
          at: Date.now(),
        };
        this.requestStop(`${name} did not start`);
        return;
      }
    }
    this.write();
  }

  private write(): void {
    try {
      writeServicesFile(this.paths.layout.servicesFile, this.file);
      this.writeFailed = false;
    } catch (error) {
      if (!this.writeFailed)
        say(`cannot write services.json: ${error instanceof Error ? error.message : String(error)}`);
      this.writeFailed = true;
    }
  }

  /** Processes of a killed supervisor are replaced, so that each has a parent that sees its end. */
  private async endLeftovers(): Promise<void> {
    const end = (name: ServiceName, identity: ProcessIdentity | null | undefined) =>
      this.endLeftover(name, identity, 'of an earlier supervisor');
    const { worker, temporal, postgres } = this.file.services;
    // The worker first: without Temporal, handing back its work takes ten seconds.
    await end('worker', worker?.process);
    await Promise.all([
      end('temporal', temporal?.process).then(() => this.endTemporals()),
      end('postgres', postgres?.process),
    ]);
  }

  /** Servers on our store without a record: two must not write to it. */
  private async endTemporals(): Promise<void> {
    const { temporalDb } = this.paths.layout;
    const found = findProcesses((pid) => {
      const words = commandLine(pid);
      return words.includes(temporalDb) && words.includes('start-dev');
    });
    await Promise.all(found.map((identity) => this.endLeftover('temporal', identity, 'that no supervisor watches')));
  }

  private async endLeftover(name: ServiceName, identity: ProcessIdentity | null | undefined, whose: string) {
    if (!identity || !isAlive(identity)) return;
    say(`${name}: ending process ${identity.pid} ${whose}`);
    await endProcess(identity, STOP[name], (line) => say(`${name}: ${line}`));
    say(`${name}: process ${identity.pid} has ended`);
  }

  /** The recorded port; if it is taken, a new one, and its users restart. */
  private async portFor(name: 'postgres' | 'temporal'): Promise<number> {
    const recorded = this.file.ports[name];
    if (recorded !== undefined) {
      for (let attempt = 0; attempt < 20; attempt++) {
        if (await portIsFree(recorded)) return recorded;
        await sleep(100, this.stop.signal);
      }
      say(`${name}: port ${recorded} is taken by another program; choosing another one`);
    }
    const taken = Object.values(this.file.ports).filter((port) => port !== undefined);
    const port = await chooseFreePort(`${this.options.home} ${name}`, taken);
    this.file.ports[name] = port;
    this.write();
    if (recorded !== undefined) void this.services.worker?.restart();
    return port;
  }

  private async launchPostgres(): Promise<Launch> {
    const binaries = findPostgres();
    const { home, postgresUser } = this.options;
    const user = choosePostgresUser({
      home,
      dataDir: this.paths.layout.postgresData,
      binaries,
      ...(postgresUser === undefined ? {} : { kind: postgresUser }),
    });
    const password = postgresPassword(this.paths.postgresPassword);
    if (await initialisePostgres(user, password)) {
      say(`postgres: created the database in ${user.dataDir}`);
      rmSync(this.paths.migrated, { force: true });
    }
    this.file.postgresData = user.dataDir;
    await clearWayForPostgres(user.dataDir, say);
    const port = await this.portFor('postgres');
    return { command: postgresCommand(user, port), env: POSTGRES_ENV, cwd: dirname(user.dataDir) };
  }

  private async probePostgres(): Promise<boolean | 'busy'> {
    const port = this.file.ports.postgres;
    if (port === undefined) return false;
    const address = { host: '127.0.0.1', port, user: POSTGRES_USER, database: POSTGRES_DATABASE };
    const answer = await probePostgres(address);
    return answer === 'busy' ? 'busy' : answer === 'ready';
  }

  private async launchTemporal(): Promise<Launch> {
    const { temporalBinary, temporalNamespace } = this.options;
    if (temporalBinary === null || !existsSync(temporalBinary)) {
      throw new BenchError('services', `the Temporal program ${temporalBinary} is gone`, {
        code: 'services.start_failed',
      });
    }
    const env = { PATH: POSTGRES_ENV['PATH'] ?? '', HOME: this.paths.own };
    this.room ??= this.chooseRoom();
    await this.endTemporals();
    this.replaceDamagedStore();
    const port = await this.portFor('temporal');
    const { temporalDb } = this.paths.layout;
    const server = [
      temporalBinary,
      ...temporalArguments({ databaseFile: temporalDb, port, namespace: temporalNamespace }),
    ] as const;
    const launch = { command: server, env, cwd: dirname(temporalDb) };
    this.file.temporalTls = this.room.kind === 'own';
    if (this.room.kind === 'shared') return launch;
    const { temporalCertificate, temporalKey } = this.paths;
    if (await ensureTemporalCertificate(this.paths)) void this.services.worker?.restart();
    const [first = '', ...rest] = this.room.outer;
    const relay = [
      process.execPath,
      builtEntry('temporal-relay-main'),
      temporalCertificate,
      temporalKey,
      String(port),
      ...this.room.inner,
    ];
    return { ...launch, command: [first, ...rest, ...relay, ...server], socket: await listenForOther(port) };
  }

  private chooseRoom(): TemporalRoom {
    const room: TemporalRoom =
      this.options.temporalRoom === 'shared' ? { kind: 'shared', reason: 'asked for' } : chooseTemporalRoom();
    if (room.kind === 'shared') say(`temporal: other users of this machine can reach it (${room.reason})`);
    return room;
  }

  private get temporalVariables(): Record<string, string> {
    return this.file.temporalTls ? temporalVariables(this.paths) : {};
  }

  private async probeTemporal(): Promise<boolean> {
    const port = this.file.ports.temporal;
    if (port === undefined) return false;
    const access = temporalAccess(this.temporalVariables, (path) => readFileSync(path));
    return (await probeTemporal(`127.0.0.1:${port}`, this.options.temporalNamespace, 3000, access)).kind === 'ok';
  }

  /** Waits for both services and this build's migrations. */
  private async launchWorker(abort: AbortSignal): Promise<Launch> {
    const migrated = () => {
      try {
        return readFileSync(this.paths.migrated, 'utf8') === migrationMark(this.options);
      } catch {
        return false;
      }
    };
    const ready = () =>
      (this.services.postgres?.healthy ?? true) && (this.services.temporal?.healthy ?? true) && migrated();
    while (!ready() && !abort.aborted) await sleep(25, abort);
    const worker = this.options.worker;
    if (worker === null) throw new Error('no worker command');
    const [program, ...args] = worker.command;
    if (program === undefined) throw new Error('empty worker command');
    // Before the hand-over, or readers would think that the running worker has them already.
    if (this.services.worker) this.services.worker.state.fingerprint = workerFingerprint(worker);
    const { ports } = this.file;
    const env = {
      ...(this.options.temporalAddress === null
        ? { ...withoutTemporalAccess(worker.env), ...this.temporalVariables }
        : worker.env),
      BENCH_HOME: this.options.home,
      DATABASE_URL:
        this.options.databaseUrl ?? postgresUrl(ports.postgres ?? 0, postgresPassword(this.paths.postgresPassword)),
      TEMPORAL_ADDRESS: this.options.temporalAddress ?? `127.0.0.1:${ports.temporal}`,
      TEMPORAL_NAMESPACE: this.options.temporalNamespace,
      BENCH_READY_FILE: this.paths.workerReady,
    };
    rmSync(this.paths.workerReady, { force: true });
    return { command: [program, ...args], env, cwd: this.options.home };
  }

  private async workerIsReady(identity: ProcessIdentity | null): Promise<boolean> {
    try {
      return readFileSync(this.paths.workerReady, 'utf8').trim() === String(identity?.pid);
    } catch {
      return false;
    }
  }

  /** SIGHUP: a command brought a newer worker build or other keys. */
  private async takeOver(): Promise<void> {
    const text = readFileSync(this.paths.handover, 'utf8');
    rmSync(this.paths.handover, { force: true });
    const { worker, gone } = handoverSchema.parse(JSON.parse(text));
    const before = this.options.worker;
    const env = Object.fromEntries(
      Object.entries({ ...before?.env, ...worker.env }).filter(([name]) => !gone.includes(name)),
    );
    const both = (of: 'keys' | 'addresses') => [...new Set([...(before?.[of] ?? []), ...worker[of]])];
    this.options.worker = { command: worker.command, env, keys: both('keys'), addresses: both('addresses') };
    say('new settings for the worker');
    const running = this.services.worker;
    if (running === undefined) {
      this.addWorker();
      this.services.worker?.start();
    } else {
      await running.restart();
    }
    this.write();
  }

  private leaveIfHomeIsGone(): void {
    try {
      statSync(this.paths.own);
    } catch {
      this.requestStop('the home directory is gone');
    }
  }
}
