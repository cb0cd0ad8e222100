import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate, schemaState } from '../../db/index.js';
import type { ServiceEndpoints } from '../../domain/home/services.js';
import { temporalAccess } from '../../domain/home/temporal-access.js';
import { chooseTemporalRoom, servicesStatus, stopServices } from '../../services/index.js';
import { identify, isAlive } from '../../services/process-identity.js';
import { SERVICE_NAMES } from '../../services/services-file.js';
import { probeTemporal, type TemporalAnswer } from '../../services/temporal-probe.js';
import { childrenOf, listeningPorts } from '../setup/process-tree.js';
import { query, ServicesHome, until } from '../setup/services-home.js';
import { Certificates } from '../setup/temporal-gateway.js';
import { LONG } from '../setup/long.js';

const isHealthy = (home: ServicesHome, name: (typeof SERVICE_NAMES)[number]) =>
  home.file().services[name]?.status === 'healthy';

describe('services of a home', () => {
  const home = new ServicesHome();
  let endpoints: ServiceEndpoints;

  beforeAll(async () => {
    endpoints = await home.ensure();
  });
  afterAll(() => home.remove());

  it('answer at their own loopback ports, and the worker is told where', async () => {
    expect(endpoints.embedded).toEqual({ postgres: true, temporal: true, worker: true });
    expect(await query(endpoints.databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
    await until('the stand-in worker has written its line', () => home.log('worker').includes(endpoints.databaseUrl));
    expect(home.log('worker')).toContain(endpoints.temporalAddress);
  });

  it('keep what holds the password from other users, and the whole home', () => {
    expect(statSync(home.dir).mode & 0o077).toBe(0);
    for (const path of [home.paths.layout.servicesFile, home.paths.postgresPassword, home.paths.log('worker')]) {
      expect(statSync(path).mode & 0o077).toBe(0);
    }
    expect(JSON.stringify(servicesStatus(home.dir))).not.toContain(new URL(endpoints.databaseUrl).password);
  });

  it.runIf(chooseTemporalRoom().kind === 'own')('let nobody in who cannot read the home', async () => {
    // What else the server listens at, lies where nobody gets.
    const { postgres, temporal } = home.file().ports;
    expect(listeningPorts(home.pid('supervisor')).sort()).toEqual([postgres, temporal].sort());
    const certificates = new Certificates();
    try {
      const { crt, key } = certificates.issue('bench-temporal');
      const foreign = { ...endpoints.temporalVariables };
      foreign['TEMPORAL_TLS_CLIENT_CERT_PATH'] = crt;
      foreign['TEMPORAL_TLS_CLIENT_KEY_PATH'] = key;
      const authority = { TEMPORAL_TLS_SERVER_CA_CERT_PATH: home.paths.temporalCertificate };
      const answer = async (variables: Record<string, string>) =>
        (
          await probeTemporal(
            endpoints.temporalAddress,
            'default',
            60_000,
            temporalAccess(variables, (path) => readFileSync(path)),
          )
        ).kind;
      expect(await answer({})).toBe('unavailable');
      expect(await answer({ ...authority, TEMPORAL_TLS_SERVER_NAME: 'bench-temporal' })).toBe('unavailable');
      expect(await answer(foreign)).toBe('unavailable');
      expect(await answer(endpoints.temporalVariables)).toBe('ok');
    } finally {
      certificates.remove();
    }
    expect(statSync(home.paths.temporalKey).mode & 0o077).toBe(0);
    if (process.getuid?.() !== 0) return;
    const asNobody = ['--reuid=65534', '--regid=65534', '--clear-groups', 'cat', home.paths.temporalKey];
    expect(spawnSync('setpriv', asNobody).status).not.toBe(0);
  });

  it('are reused by a second call', async () => {
    const before = SERVICE_NAMES.map((name) => home.pid(name));
    expect(await home.ensure()).toEqual(endpoints);
    expect(SERVICE_NAMES.map((name) => home.pid(name))).toEqual(before);
  });

  it.each(SERVICE_NAMES)('%s is started again after kill -9, and the log says so', async (name) => {
    const old = home.pid(name);
    const { restarts = 0 } = home.file().services[name] ?? {};
    await home.kill(name);
    await until(`${name} has been restarted`, () => {
      const state = home.file().services[name];
      return (state?.restarts ?? 0) > restarts && state?.status === 'healthy';
    });
    expect(home.pid(name)).not.toBe(old);
    expect(home.log('supervisor')).toMatch(new RegExp(`${name}: was ended by SIGKILL; restarting in \\d+ ms`));
    expect(await home.ensure()).toEqual(endpoints);
  });

  it.runIf(chooseTemporalRoom().kind === 'own')(
    'start Temporal again when the server alone is killed, and when its relay alone is',
    async () => {
      for (const whom of ['server', 'relay']) {
        const relay = home.pid('temporal');
        const server = identify(childrenOf(relay)[0] ?? 0);
        expect(server).not.toBeNull();
        process.kill(whom === 'relay' ? relay : (server?.pid ?? 0), 'SIGKILL');
        await until(`Temporal is back after its ${whom} was killed`, () => {
          const state = home.file().services.temporal;
          return state?.status === 'healthy' && state.process?.pid !== relay;
        });
        // Neither is left without the other.
        expect(isAlive(server)).toBe(false);
        expect(identify(relay)).toBeNull();
        expect(await home.ensure()).toEqual(endpoints);
      }
    },
  );

  it.runIf(LONG)('answer who comes while Temporal starts, once it has', async () => {
    const access = temporalAccess(endpoints.temporalVariables, (path) => readFileSync(path));
    const old = home.pid('temporal');
    await home.kill('temporal');
    await until('Temporal is being started', () => {
      const { process: now } = home.file().services.temporal ?? {};
      return now != null && now.pid !== old;
    });
    let answer: TemporalAnswer;
    // Until the new process has the port, connections are refused; none may be accepted and lost.
    do answer = await probeTemporal(endpoints.temporalAddress, 'default', 120_000, access);
    while (answer.kind === 'unavailable' && !answer.reason.startsWith('no answer'));
    expect(answer).toEqual({ kind: 'ok' });
    expect(await home.ensure()).toEqual(endpoints);
  });

  it('come back with their data and addresses when all are killed at once', async () => {
    await query(endpoints.databaseUrl, 'create table kept (n int); insert into kept values (42)');
    const old = SERVICE_NAMES.map((name) => home.pid(name));
    old.forEach((pid) => process.kill(pid, 'SIGKILL'));
    await until('all have been restarted', () =>
      SERVICE_NAMES.every((name, at) => {
        const state = home.file().services[name];
        return state?.status === 'healthy' && state.process !== null && state.process.pid !== old[at];
      }),
    );
    expect(await home.ensure()).toEqual(endpoints);
    expect(await query(endpoints.databaseUrl, 'select n from kept')).toEqual([{ n: 42 }]);
  });

  it('get a new supervisor from their guardian when it is killed, without anybody asking', async () => {
    const old = home.pid('supervisor');
    await home.kill('supervisor');
    await until('another supervisor has them', () => {
      const pid = home.file().supervisor?.pid;
      return pid !== undefined && pid !== old && SERVICE_NAMES.every((name) => isHealthy(home, name));
    });
    expect(await home.ensure()).toEqual(endpoints);
  });

  it.runIf(LONG)('get a new guardian from their supervisor, which guards as the first did', async () => {
    const [guardian, supervisor] = [home.pid('guardian'), home.pid('supervisor')];
    await home.kill('guardian');
    await until('another guardian is there', () => home.pid('guardian') !== guardian);
    expect(home.pid('supervisor')).toBe(supervisor);
    const second = home.pid('guardian');
    await home.kill('supervisor');
    await until('another supervisor has them', () => {
      const pid = home.file().supervisor?.pid;
      return pid !== undefined && pid !== supervisor && SERVICE_NAMES.every((name) => isHealthy(home, name));
    });
    expect(home.pid('guardian')).toBe(second);
    expect(await home.ensure()).toEqual(endpoints);
  });

  it('are taken over by the next command when supervisor and guardian were killed, the worker ended first', async () => {
    await query(endpoints.databaseUrl, 'insert into kept values (43)');
    const left = SERVICE_NAMES.map((name) => identify(home.pid(name)));
    // Both at once: each would start the other again.
    const both = [home.pid('guardian'), home.pid('supervisor')].map((pid) => identify(pid));
    both.forEach((one) => process.kill(one?.pid ?? 0, 'SIGKILL'));
    await until('both are gone', () => both.every((one) => !isAlive(one)));
    const written = home.log('supervisor').length;
    const lastAlive = statSync(home.paths.alive).mtime.toISOString();
    expect(await home.ensure()).toEqual(endpoints);
    // The worker makes it an event.
    const [fault] = readFileSync(home.paths.layout.serviceFaults, 'utf8').trim().split('\n').slice(-1);
    expect(JSON.parse(fault ?? '')).toMatchObject({
      service: 'supervisor',
      reason: `and its guardian died; they were last alive at ${lastAlive}, and left the services to themselves`,
    });
    for (const process of left) expect(identify(process?.pid ?? 0)?.startTime).not.toBe(process?.startTime);
    expect(await query(endpoints.databaseUrl, 'select count(*)::int as n from kept')).toEqual([{ n: 2 }]);
    // A worker whose Temporal is gone takes ten seconds longer to end.
    const log = home.log('supervisor').slice(written);
    const at = (line: RegExp) => log.search(line);
    expect(at(/worker: process \d+ has ended/)).toBeGreaterThan(at(/worker: ending process/));
    expect(at(/temporal: ending process/)).toBeGreaterThan(at(/worker: process \d+ has ended/));
  });

  it.runIf(LONG)(
    'are restarted by a rebuilt program, not by a reader, another install, an older version or an unknown schema',
    async () => {
      await migrate(endpoints.databaseUrl);
      const pids = () => SERVICE_NAMES.map((name) => home.pid(name));
      const before = pids();
      const file = home.file();
      const build = file.supervisor!.build;
      const runBy = (other: Partial<typeof build>): void => {
        file.supervisor!.build = { ...build, ...other };
        writeFileSync(home.paths.layout.servicesFile, JSON.stringify(file));
      };
      const schemaOf = async (databaseUrl: string) => (await schemaState(databaseUrl)).state;
      const rebuilt = { hash: 'of other content' };

      runBy(rebuilt);
      expect(await home.ensure({}, { schemaOf, looksOnly: true })).toEqual(endpoints);
      await expect(home.ensure({}, { schemaOf: async () => 'behind', looksOnly: true })).rejects.toMatchObject({
        message: expect.stringContaining('which has an older schema') as string,
        remedy: 'Run `bench up` to restart them with this build.',
      });
      runBy({ ...rebuilt, folder: '/elsewhere' });
      expect(await home.ensure({}, { schemaOf })).toEqual(endpoints);
      runBy({ ...rebuilt, version: '999.0.0' });
      await expect(home.ensure({}, { schemaOf })).rejects.toThrow('run a newer version of bench');
      runBy(rebuilt);
      await query(
        endpoints.databaseUrl,
        `insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 9999999999999)`,
      );
      await expect(home.ensure({}, { schemaOf })).rejects.toMatchObject({
        type: 'usage',
        message: expect.stringContaining('made by a newer version') as string,
      });
      await query(endpoints.databaseUrl, `delete from drizzle.__drizzle_migrations where hash = 'newer'`);
      expect(pids()).toEqual(before);
      expect(await home.ensure({}, { schemaOf })).toEqual(endpoints);
      for (const [at, pid] of pids().entries()) expect(pid).not.toBe(before[at]);
    },
  );

  it.runIf(LONG)('are not waited for in silence', async () => {
    const lines: string[] = [];
    let told: () => void = () => undefined;
    const line = new Promise<void>((resolve) => (told = resolve));
    // The database "migrates" until a line was said.
    await home.ensure(
      {},
      {
        migrate: () => line,
        onProgress: (text) => {
          lines.push(text);
          if (text.startsWith('waiting for')) told();
        },
      },
    );
    expect(lines.some((text) => /^waiting for .* … \d+ s$/.test(text))).toBe(true);
  });

  it('restart the worker when a command brings other settings, and keep those of other terminals', async () => {
    const old = home.pid('worker');
    await home.ensure({ env: { ...home.settings().env, BENCH_NOTE: 'from another terminal' } });
    expect(home.pid('worker')).not.toBe(old);
    await until('the worker has shown its settings', () => home.log('worker').includes('from another terminal'));
    const now = home.pid('worker');
    await home.ensure();
    expect(home.pid('worker')).toBe(now);
    expect(existsSync(home.paths.handover)).toBe(false);
  });

  it('lose a setting that has gone with the next command that gives work, not with one that looks on', async () => {
    const { env } = home.settings();
    const variables = { modelVariables: { keys: [], addresses: ['LAB_ADDRESS'] } };
    const told = (): string[] => home.log('worker').match(/(?<=stand-in worker ).*$/gm) ?? [];
    /** A started worker's settings. The worker is ready before its line is logged. */
    const startedBy = async (ensure: () => Promise<unknown>): Promise<unknown> => {
      const before = told().length;
      await ensure();
      await until('the new worker has said its settings', () => told().length > before);
      return JSON.parse(told().at(-1) ?? '');
    };
    const started = await startedBy(() =>
      home.ensure({ ...variables, env: { ...env, BENCH_NOTE: 'a proxy', LAB_ADDRESS: 'http://lab/v1' } }),
    );
    expect(started).toMatchObject({ note: 'a proxy', lab: 'http://lab/v1' });
    const worker = home.pid('worker');
    await home.ensure(variables);
    expect(home.pid('worker')).toBe(worker);
    const lines: string[] = [];
    const renewed = await startedBy(() =>
      home.ensure(variables, { renewWorker: true, onProgress: (line) => lines.push(line) }),
    );
    expect(renewed).not.toHaveProperty('note');
    expect(renewed).not.toHaveProperty('lab');
    expect(lines.join('\n')).toContain('LAB_ADDRESS no longer set');
  });

  it('refuse a command whose environment names another database', async () => {
    const other = endpoints.databaseUrl.replace(/\/bench$/, '/postgres');
    await expect(home.ensure({ databaseUrl: other })).rejects.toMatchObject({
      type: 'services',
      message: expect.stringContaining('running with a different database') as string,
      remedy: expect.stringContaining('bench down') as string,
    });
  });

  it('stop in order, end all processes, and come back with data and addresses', async () => {
    const processes = SERVICE_NAMES.map((name) => identify(home.pid(name)));
    const { stopped } = await stopServices({ home: home.dir });
    expect(stopped).toEqual([...SERVICE_NAMES]);
    for (const process of processes) expect(identify(process?.pid ?? 0)?.startTime).not.toBe(process?.startTime);
    expect(servicesStatus(home.dir)).toMatchObject({ running: false, supervisorPid: null });
    expect(await home.ensure()).toEqual(endpoints);
    expect(await query(endpoints.databaseUrl, 'select count(*)::int as n from kept')).toEqual([{ n: 2 }]);
  });

  it.runIf(LONG)('start over a services.json and a postmaster.pid that name strangers', async () => {
    const { build } = home.file().supervisor!;
    await stopServices({ home: home.dir });
    const stranger = { pid: process.pid, startTime: 'long ago' };
    const file = home.file();
    for (const state of Object.values(file.services)) Object.assign(state, { process: stranger, status: 'healthy' });
    file.supervisor = { ...stranger, startedAt: 'long ago', guardian: stranger, build: { ...build, hash: 'old' } };
    writeFileSync(home.paths.layout.servicesFile, JSON.stringify({ ...file, status: 'running' }));
    writeFileSync(`${home.paths.layout.postgresData}/postmaster.pid`, `${process.pid}\n/elsewhere\n1\n1\n`);
    // A home that was copied without them gets new ones.
    for (const path of [home.paths.temporalKey, home.paths.temporalCertificate]) rmSync(path, { force: true });
    expect(await home.ensure()).toEqual(endpoints);
    expect(home.log('supervisor')).toContain('removed a stale postmaster.pid');
  });

  it.runIf(LONG)('take another port, and say so, when a stranger has the recorded one', async () => {
    await stopServices({ home: home.dir });
    const port = Number(new URL(endpoints.databaseUrl).port);
    const stranger = createServer().listen(port, '127.0.0.1');
    await new Promise((resolve) => stranger.once('listening', resolve));
    try {
      const moved = await home.ensure();
      expect(Number(new URL(moved.databaseUrl).port)).not.toBe(port);
      expect(moved.temporalAddress).toBe(endpoints.temporalAddress);
      expect(home.log('supervisor')).toContain(`port ${port} is taken by another program`);
      expect(await query(moved.databaseUrl, 'select count(*)::int as n from kept')).toEqual([{ n: 2 }]);
    } finally {
      stranger.close();
    }
  });
});

describe('a home that others may enter', () => {
  const home = new ServicesHome(join(mkdtempSync(join(tmpdir(), 'bench-open-')), 'home'));
  afterAll(() => home.remove());

  it('is made for its owner alone, and closed when it is found open', async () => {
    await home.ensure({ worker: 'external' });
    expect(statSync(home.dir).mode & 0o777).toBe(0o700);
    await stopServices({ home: home.dir });
    chmodSync(home.dir, 0o755);
    await home.ensure({ worker: 'external' });
    expect(statSync(home.dir).mode & 0o777).toBe(0o700);
  });
});

describe('homes side by side', () => {
  const homes = [new ServicesHome(), new ServicesHome()] as const;
  afterAll(() => Promise.all(homes.map((home) => home.remove())));

  // Without it, each file of this project has a home of its own beside others.
  it.runIf(LONG)('run at the same time with ports of their own, and one going down leaves the other up', async () => {
    const [first, second] = await Promise.all(homes.map((home) => home.ensure()));
    const ports = homes.flatMap((home) => Object.values(home.file().ports));
    expect(new Set(ports).size).toBe(4);
    await stopServices({ home: homes[0].dir });
    expect(await homes[1].ensure()).toEqual(second);
    expect(first?.databaseUrl).not.toBe(second?.databaseUrl);
  });
});

describe('many commands at once on a new home', () => {
  const home = new ServicesHome();
  afterAll(() => home.remove());

  it('start exactly one supervisor, and migrate before the worker starts', async () => {
    const order: string[] = [];
    const migrate = async (databaseUrl: string) => {
      // Who comes later may find one that the first has made way for.
      if (order.length === 0) expect(home.file().services.worker?.process).toBeNull();
      await query(databaseUrl, 'create table if not exists migrated (n int)').catch(() => undefined);
      order.push('migrated');
    };
    const results = await Promise.all([1, 2, 3].map(() => home.ensure({}, order.length === 0 ? { migrate } : {})));
    expect(new Set(results.map((result) => result.databaseUrl)).size).toBe(1);
    expect(home.log('supervisor').match(/^\S+ supervisor \d+ of /gm)).toHaveLength(1);
    const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,args=']);
    const lines = stdout.split('\n').filter((line) => line.includes(home.paths.layout.temporalDb));
    // One has a relay before it.
    expect(lines.filter((line) => !line.includes('temporal-relay-main'))).toHaveLength(1);
  });
});

describe.runIf(process.getuid?.() === 0)('a home of root where namespaces are forbidden', () => {
  const home = new ServicesHome();
  afterAll(async () => {
    const { postgresData } = home.file();
    await home.remove();
    // Nobody may not enter a private home: data and programs lie elsewhere.
    if (postgresData?.startsWith('/var/tmp/')) rmSync(dirname(postgresData), { recursive: true, force: true });
  });

  it.runIf(LONG)('runs PostgreSQL as nobody, and Temporal where other users reach it, which it says', async () => {
    const forbidden = { postgresUser: 'nobody', temporalRoom: 'shared' } as const;
    const { databaseUrl, temporalAddress, temporalVariables } = await home.ensure({ worker: 'external' }, forbidden);
    expect(temporalVariables).toEqual({});
    expect(await probeTemporal(temporalAddress, 'default', 60_000)).toEqual({ kind: 'ok' });
    expect(home.log('supervisor')).toContain('other users of this machine can reach it');
    expect(await query(databaseUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(statSync(home.file().postgresData ?? '').uid).toBe(65534);
    expect(statSync(`/proc/${home.pid('postgres')}`).uid).toBe(65534);
  });
});
