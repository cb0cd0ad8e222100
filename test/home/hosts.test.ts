import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServiceEndpoints } from '../../domain/home/services.js';
import { BenchHome, BUNDLED_CONFIGS } from '../setup/bench-home.js';
import { LONG } from '../setup/long.js';

const WORKER = resolve(import.meta.dirname, '../../dist/worker/main.js');
/** Games take long enough for a run to be met in its midst. */
const LASTING = { BENCH_CONFIGS: BUNDLED_CONFIGS };
/** A few beats may be late without a host counting as silent. */
const HEARTBEAT_SECONDS = '3';

/** Counts, with a gate in the midst: until somebody opens it, a run stays at that step. */
const count = (n: number): string => `echo ${n} >> counter.txt; wc -l < counter.txt`;
const ACTIONS = [...[1, 2, 3, 4, 5, 6].map(count), 'until [ -e go ]; do sleep 0.1; done', ...[7, 8].map(count)];
const GATE_STEP = 7;

/** Services, and the command line; its own worker only runs workflows and models. */
let home: BenchHome;
let endpoints: ServiceEndpoints;
const hosts = new Map<
  string,
  { dir: string; process: ChildProcess; ended: Promise<{ code: number | null; stderr: string }> }
>();
const folders: string[] = [];
/** Of all homes: what one host has kept, another finds. */
let artifacts: string;

/** A host of its own: home, worker process, local backend. `env` may give it another name. */
function startHost(hostId: string, env: Record<string, string> = {}): void {
  const dir = hosts.get(hostId)?.dir ?? mkdtempSync(join(tmpdir(), `bench-host-`));
  if (!hosts.has(hostId)) folders.push(dir);
  const child = spawn(process.execPath, [WORKER], {
    env: {
      ...{ PATH: process.env['PATH'], HOME: process.env['HOME'], BENCH_HOME: dir, BENCH_HOST: hostId },
      ...{ DATABASE_URL: endpoints.databaseUrl, TEMPORAL_ADDRESS: endpoints.temporalAddress },
      ...endpoints.temporalVariables,
      ...{
        BENCH_ROLES: 'host',
        BENCH_HEARTBEAT_SECONDS: HEARTBEAT_SECONDS,
        BENCH_GPUS: 'none',
        BENCH_ARTIFACTS: artifacts,
      },
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const ended = new Promise<{ code: number | null; stderr: string }>((done) =>
    child.once('close', (code) => done({ code, stderr })),
  );
  hosts.set(hostId, { dir, process: child, ended });
}

const kill = async (hostId: string): Promise<void> => {
  const child = hosts.get(hostId)?.process;
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once('exit', done));
  child.kill('SIGKILL');
  await gone;
};

const hostLines = async () => (await home.queries()).hosts();
const stateOf = async (hostId: string) => (await hostLines()).find((host) => host.hostId === hostId)?.state;

async function until<T>(what: string, look: () => Promise<T | undefined | false>, seconds = 300): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (Date.now() > deadline) throw new Error(`still not true after ${seconds} s: ${what}`);
    await new Promise((wait) => setTimeout(wait, 300));
  }
}

const submit = async (models: string, attempts: number): Promise<string> =>
  (
    await home.json<{ batchId: string }>(
      ...['submit', '--models', models, '--tasks', 'battleOfSexes', '--attempts', String(attempts), '--seed', '7'],
      ...['--concurrency', '4', '--backend', 'local'],
    )
  ).batchId;

const ended = (batchId: string) =>
  until(`batch ${batchId} has ended`, async () => {
    const [batch] = await home.sql<{ status: string }>('select status from batches where batch_id = $1', [batchId]);
    return batch?.status === 'ended';
  });

/** Wait for something, with the gates of all runs open, also of those that begin meanwhile. */
async function withOpenGates<T>(work: Promise<T>): Promise<T> {
  let over = false;
  const open = async (): Promise<void> => {
    while (!over) {
      const homes = [...hosts.values()].map(({ dir }) => dir);
      const touch = ['-type', 'd', '-name', 'workspace', '-prune', '-exec', 'touch', '{}/go', ';'];
      // Folders that go away meanwhile need none.
      await execa('find', [...homes, ...touch], { reject: false });
      await new Promise((wait) => setTimeout(wait, 300));
    }
  };
  const opening = open();
  try {
    return await work;
  } finally {
    over = true;
    await opening;
  }
}

/** How the runs went, wherever they were. */
const outcomes = (batchId: string) =>
  home.sql(
    `select r.model_name, r.attempt, r.end_reason, r.final_evaluation, r.step,
       (select json_agg(json_build_array(e.number, e.status, e.submission_sha256) order by e.number) from evaluations e
        where e.run_id = r.run_id) as evaluations,
       (select json_agg(json_build_array(s.action, trim(s.observation), s.exit_code) order by s.step) from steps s where s.run_id = r.run_id) as commands
     from runs r where r.batch_id = $1 order by r.ordinal`,
    [batchId],
  );

beforeAll(async () => {
  artifacts = mkdtempSync(join(tmpdir(), 'bench-artifacts-'));
  folders.push(artifacts);
  home = new BenchHome({ BENCH_ROLES: 'workflows,models', BENCH_GPUS: 'none', BENCH_ARTIFACTS: artifacts, ...LASTING });
  endpoints = await home.json<typeof endpoints>('up');
});
afterAll(async () => {
  for (const hostId of hosts.keys()) await kill(hostId);
  await home.remove();
  for (const dir of folders) rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

describe('two hosts', () => {
  let file: string;
  /** Nothing happened to it. */
  let calm: string;

  it('bear the runs of a batch between them; one that is killed for good is replaced by the other, with the same outcome', async () => {
    startHost('a');
    await until('host a is up', async () => (await stateOf('a')) === 'up');
    const { hosts: listed } = await home.json<{ hosts: { hostId: string; state: string }[] }>('hosts');
    expect(listed).toContainEqual(expect.objectContaining({ hostId: 'a', state: 'up' }));
    file = join(home.dir, 'gated.json');
    const steps = ACTIONS.map((action, i) => ({
      ...{ step: i + 1, response: action, thought: 'So.', action, observation: '' },
    }));
    writeFileSync(file, JSON.stringify({ steps }));
    calm = await submit(`replay:${file}`, 4);
    await withOpenGates(ended(calm));

    startHost('b', { BENCH_GRACE_SECONDS: '6' });
    await until('host b is up', async () => (await stateOf('b')) === 'up');
    const batchId = await submit(`replay:${file}`, 4);
    await until('both hosts execute runs, which wait at their gates', async () => {
      const placed = await home.sql<{ host_id: string }>(
        `select distinct host_id from runs where batch_id = $1 and status = 'running' and step = $2`,
        [batchId, GATE_STEP],
      );
      return placed.length === 2;
    });
    await kill('a');
    await withOpenGates(ended(batchId));

    expect(await outcomes(batchId)).toEqual(await outcomes(calm));
    const moved = await home.sql<{ host_id: string; epoch: number }>(
      `select r.host_id, r.epoch from runs r join events e using (run_id) where r.batch_id = $1 and e.kind = 'host_lost'`,
      [batchId],
    );
    expect(moved.length).toBeGreaterThan(0);
    for (const run of moved) expect(run).toEqual({ host_id: 'b', epoch: 2 });
    expect(await stateOf('a')).toBe('lost');

    // It is back: the worlds that its runs have left are gone before it counts as a host again.
    startHost('a');
    await until('host a is up again', async () => (await stateOf('a')) === 'up');
    const kinds = (await home.sql<{ kind: string }>(`select kind from events where run_id is null`)).map((e) => e.kind);
    expect(kinds).toContain('host_returned');
  }, 900_000);

  // Without it, temporal/workflows.test.ts moves runs from hosts that leave.
  it.runIf(LONG)(
    'one that is told to leave hands its runs on, without a fault: as they are between two commands, or from before one that does not end',
    async () => {
      const batchId = await submit(`replay:${file}`, 4);
      const placed = await until('both hosts execute runs, which wait at their gates', async () => {
        const found = await home.sql<{ run_id: string; host_id: string }>(
          `select run_id, host_id from runs where batch_id = $1 and status = 'running' and step = $2 order by ordinal`,
          [batchId, GATE_STEP],
        );
        return found.length === 4 && found;
      });
      const [between, amidst] = placed.filter((run) => run.host_id === 'b').map((run) => run.run_id);
      hosts.get('b')?.process.kill('SIGUSR2');
      await until('host b leaves', async () => (await stateOf('b')) === 'leaving');
      // A batch system signals the worker and its command, which signals the worker again.
      for (let i = 0; i < 2; i++) hosts.get('b')?.process.kill('SIGTERM');
      const { stdout: workspaces } = await execa('find', [
        hosts.get('b')?.dir ?? '',
        '-type',
        'd',
        '-name',
        'workspace',
      ]);
      const own = workspaces.split('\n').find((path) => path.includes(between ?? '-'));
      writeFileSync(join(own ?? '', 'go'), '');
      expect(await hosts.get('b')?.ended).toMatchObject({ code: 0 });
      expect(await stateOf('b')).toBeUndefined();
      await withOpenGates(ended(batchId));

      expect(await outcomes(batchId)).toEqual(await outcomes(calm));
      const told = (runId: string | undefined) =>
        home.sql<{ kind: string; detail: string }>('select kind, detail from events where run_id = $1', [runId]);
      expect(await told(between)).toEqual([
        { kind: 'run_handed_over', detail: `host b left; the snapshot after step ${GATE_STEP} is restored on host a` },
      ]);
      expect(await told(amidst)).toEqual([
        { kind: 'run_handed_over', detail: `host b left; commands 1 to ${GATE_STEP - 1} are rerun on host a` },
      ]);
      const ofHost = await home.sql<{ kind: string }>(`select kind from events where kind like 'host_le%' order by at`);
      expect(ofHost.map(({ kind }) => kind)).toEqual(['host_leaving', 'host_left']);
      startHost('b');
      await until('host b is back', async () => (await stateOf('b')) === 'up');
    },
    600_000,
  );

  // Without it, sql/host-store.test.ts gives runs to hosts that take some.
  it.runIf(LONG)(
    'drained, a host is given nothing; with all drained or full, runs wait and go on by themselves',
    async () => {
      await home.json('hosts', 'drain', 'a');
      await home.json('hosts', 'drain', 'b');
      const batchId = await submit('scripted:baseline', 2);
      await until('the runs wait for a host', async () => {
        const { length } = await home.sql(`select from runs where batch_id = $1 and status = 'waiting_host'`, [
          batchId,
        ]);
        return length === 2;
      });
      await kill('b');
      startHost('b', { BENCH_MIN_DISK_FREE_MB: '1000000000' });
      // Still drained: otherwise it would get runs before it reports its disk.
      await until('host b says that its disk is full', async () =>
        (await hostLines()).find(({ hostId }) => hostId === 'b')?.pauseReason?.includes('its disk is full'),
      );
      await home.json('hosts', 'undrain', 'b');
      await until('host b is paused', async () => (await stateOf('b')) === 'paused');
      await home.json('hosts', 'undrain', 'a');
      await ended(batchId);
      const placed = await home.sql('select distinct host_id, end_reason from runs where batch_id = $1', [batchId]);
      expect(placed).toEqual([{ host_id: 'a', end_reason: 'submit' }]);
    },
    900_000,
  );

  // Without it, sql/host-store.test.ts has the names of hosts.
  it.runIf(LONG)(
    'names are one machine each, and only known ones are steered',
    async () => {
      const second = new BenchHome({
        ...{ BENCH_HOST: 'a', DATABASE_URL: endpoints.databaseUrl, TEMPORAL_ADDRESS: endpoints.temporalAddress },
        ...endpoints.temporalVariables,
        BENCH_GPUS: 'none',
      });
      try {
        const refused = await second.run('worker');
        expect(refused.stderr).toContain('another machine is the host "a" and alive');
        expect(refused.exitCode).toBe(2);
        for (const args of [
          ['--gpus', '0,0'],
          ['--gpus', 'x y'],
          ['--slots', 'NaN'],
          ['--roles', 'cook'],
        ])
          expect(await second.run('worker', ...args)).toMatchObject({ exitCode: 2 });
      } finally {
        rmSync(second.dir, { recursive: true, force: true });
      }
      for (const verb of ['drain', 'undrain', 'remove']) {
        const refused = await home.run('hosts', verb, 'nobody');
        expect(refused.stderr).toContain('no host "nobody"');
        expect(refused.exitCode).toBe(2);
      }
      const alive = await home.run('hosts', 'remove', 'a');
      expect(alive.stderr).toContain('host "a" is alive');
      await kill('b');
      await until('host b is silent', async () => ['silent', 'lost'].includes((await stateOf('b')) ?? ''));
      expect(await home.json('hosts', 'remove', 'b')).toEqual({ hostId: 'b', state: 'removed' });
    },
    360_000,
  );
});

describe('one host', () => {
  // Without it, sql/host-store.test.ts has a second machine refused.
  it.runIf(LONG)(
    'is served by one machine: one that was away while another took its name stops',
    async () => {
      startHost('first', { BENCH_HOST: 'shared' });
      await until('the first machine is the host', async () => (await stateOf('shared')) === 'up');
      const first = hosts.get('first');
      first?.process.kill('SIGSTOP');
      await until('the host is silent', async () => (await stateOf('shared')) === 'silent');
      startHost('second', { BENCH_HOST: 'shared' });
      await until('the second machine is the host', async () => (await stateOf('shared')) === 'up');
      first?.process.kill('SIGCONT');
      const end = await first?.ended;
      expect(end?.stderr).toContain('another machine is the host "shared" and alive');
      expect(end?.code).toBe(2);
      expect(hosts.get('second')?.process.exitCode).toBeNull();
      await kill('second');
    },
    600_000,
  );

  // Without it, unit/backends/gpus/inventory.test.ts has drivers that come and go.
  it.runIf(LONG)(
    'offers its GPUs only while its driver says who uses them, and finds them when the driver comes',
    async () => {
      const dir = mkdtempSync(join(tmpdir(), 'bench-test-nvidia-smi-'));
      folders.push(dir);
      /** Two GPUs; something computes on the second. */
      const WORKS = 'case "$1" in --query-gpu*) echo "0, GPU-a"; echo "1, GPU-b";; *) echo "GPU-b, 42";; esac';
      const driver = (script: string): void => {
        writeFileSync(join(dir, 'new'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
        renameSync(join(dir, 'new'), join(dir, 'nvidia-smi'));
      };
      const env = (gpus: string) => ({ BENCH_GPUS: gpus, PATH: `${dir}:${process.env['PATH']}` });
      const gpusAre = (gpus: string[], busyGpus: string[]) =>
        until(`GPUs ${gpus.join()}, of them busy ${busyGpus.join()}`, async () => {
          const host = (await hostLines()).find(({ hostId }) => hostId === 'gpus');
          return host !== undefined && isDeepStrictEqual([host.gpus, host.busyGpus], [gpus, busyGpus]);
        });
      driver('echo "no driver" >&2; exit 9');
      startHost('named', env('0'));
      const refused = await hosts.get('named')?.ended;
      expect(refused?.stderr).toContain("nvidia-smi cannot list this machine's GPUs: no driver");
      expect(refused?.code).toBe(2);

      startHost('gpus', env('auto'));
      await gpusAre([], []);
      driver(WORKS);
      await gpusAre(['0', '1'], ['1']);
      driver('echo "driver lost" >&2; exit 9');
      await gpusAre(['0', '1'], ['0', '1']);
      driver(WORKS);
      await gpusAre(['0', '1'], ['1']);
      const told = await home.sql<{ kind: string; detail: string }>(
        `select kind, detail from events where kind in ('gpu_driver_failed', 'gpu_driver_recovered') order by at`,
      );
      expect(told.map(({ kind }) => kind)).toEqual(['gpu_driver_failed', 'gpu_driver_recovered']);
      expect(told[0]?.detail).toContain('driver lost');
      await kill('gpus');
    },
    600_000,
  );
});
