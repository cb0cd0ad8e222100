import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectEngine } from '../../backends/docker/engine.js';
import { engineAddress } from '../../backends/docker/engine-address.js';
import { ensureImage } from '../../backends/docker/images.js';
import {
  playPolicy,
  startProviderSimulator,
  type Behaviour,
  type ProviderSimulator,
} from '../fakes/provider-simulator/index.js';
import { BenchHome } from '../setup/bench-home.js';
import { openEngineGate, type EngineGate } from '../setup/engine-gate.js';
import { startPrivateEngine, type PrivateEngine } from '../setup/private-engine.js';
import { pick, seededRandom } from '../setup/random.js';
import { mountSmallDisk, type SmallDisk } from '../setup/small-disk.js';
import { startTemporalServer, type TemporalServer, wantsTemporalServer } from '../setup/temporal-server.js';
import { batchOutcome, counterReadings, repeatedCalls, scoresApart, type RunOutcome } from './batch-outcome.js';
import { inject, type FaultKind, type FaultTargets, type InjectedFault } from './faults.js';

// BENCH_TEST_TEMPORAL=server: production's Temporal. Root: restarts an engine, fills a disk.
const SEED = Number(process.env['BENCH_CHAOS_SEED'] ?? 20);
const ATTEMPTS = 26;
const FAULTS = 52;
const STEPS = 12;
const COUNTER = `scripted:counter:${STEPS}`;
const COUNTS = Array.from({ length: STEPS }, (_, i) => i + 1);
const MODELS = [COUNTER, 'scripted:optimum', 'scripted:clumsy', 'gpt-4o'];
const RUNS = MODELS.length * ATTEMPTS;
/** Those of the home. */
const SERVICES: FaultKind[] = ['worker', 'postgres', ...(wantsTemporalServer() ? [] : ['temporal' as const])];
const KINDS: FaultKind[] = [
  ...(['worker', 'temporal', 'postgres'] as const),
  'container_killed',
  'container_removed',
  'engine_away',
  'container_killed',
  'container_removed',
  'engine_restarted',
  'disk_full',
];
const LIMIT_MS = 3_600_000;

let simulator: ProviderSimulator;
let gate: EngineGate;
let engine: PrivateEngine;
let temporal: TemporalServer | undefined;
let home: BenchHome;
let targets: FaultTargets;
let disk: SmallDisk;

const steady = playPolicy('counter:5');
/** Faults by the number of the request, so that each is met. */
const faulty: Behaviour = (request) => {
  if (request.number % 11 === 0) return { kind: 'rate_limit', retryAfter: '1' };
  if (request.number % 13 === 0) return { kind: 'server_error', status: 500 };
  if (request.number % 17 === 0) return { kind: 'cut' };
  return steady(request);
};

beforeAll(async () => {
  simulator = await startProviderSimulator({ behaviour: steady });
  engine = await startPrivateEngine();
  const options = {
    assetsRoot: join(import.meta.dirname, '../..'),
    donor: connectEngine(engineAddress('docker', process.env)),
  };
  const docker = connectEngine(engineAddress('docker', { DOCKER_HOST: `unix://${engine.socketPath}` }));
  for (const kind of ['agent', 'evaluator'] as const) await ensureImage(docker, kind, options);
  gate = await openEngineGate(engine.socketPath);
  if (wantsTemporalServer()) temporal = await startTemporalServer();
  home = new BenchHome({
    ...(temporal !== undefined && { TEMPORAL_ADDRESS: temporal.address }),
    DOCKER_HOST: gate.url,
    OPENAI_API_KEY: 'sk-storm',
    OPENAI_BASE_URL: simulator.openAiBaseUrl,
  });
  disk = mountSmallDisk(home.dir, '6G');
  targets = { home, docker, gate, random: seededRandom(SEED), engine, disk, temporal };
}, 900_000);

afterAll(async () => {
  gate.open();
  await home.run('down', '--force');
  disk.unmount();
  await home.remove();
  await gate.close();
  await temporal?.stop();
  await engine.stop();
  await simulator.close();
}, 900_000);

const submit = async (): Promise<string> => {
  const matrix = ['--models', MODELS.join(','), '--tasks', 'battleOfSexes', '--attempts', String(ATTEMPTS)];
  const how = ['--seed', '7', '--concurrency', '12', '--backend', 'docker'];
  return (await home.json<{ batchId: string }>('submit', ...matrix, ...how)).batchId;
};

/** The same with and without faults. A command that died with its container may be a validation. */
const essence = ({ model, attempt, end_reason, final_evaluation, evaluations }: RunOutcome) =>
  ({ model, attempt, end_reason, final_evaluation, evaluations }) as const;

it(
  `${RUNS} runs among ${FAULTS} faults all end, with the scores that they have without`,
  async () => {
    const undisturbedId = await submit();
    await untilEnded(undisturbedId);
    const undisturbed = await batchOutcome(home, undisturbedId);
    expect(undisturbed.map((run) => [run.end_reason, run.final_evaluation])).toEqual(
      Array(RUNS).fill(['submit', 'ok']),
    );

    simulator.behave(faulty);
    const batchId = await submit();
    const injected = await storm(batchId);
    await untilEnded(batchId);

    const failed = await home.sql(
      `select run_id, step, epoch, end_reason, detail from runs where batch_id = $1 and end_reason <> 'submit'`,
      [batchId],
    );
    expect(failed).toEqual([]);
    const outcome = await batchOutcome(home, batchId);
    expect(outcome).toHaveLength(RUNS);
    const hurt = (run: RunOutcome) => run.commands.some((command) => command.lost);
    const unhurt = outcome.flatMap((run, i) => (hurt(run) ? [] : [i]));
    expect(unhurt.map((i) => essence(outcome[i]!))).toEqual(unhurt.map((i) => essence(undisturbed[i]!)));
    expect(await scoresApart(home, batchId, undisturbedId)).toEqual([]);
    for (const run of outcome.filter(hurt)) expect([run.end_reason, run.final_evaluation]).toEqual(['submit', 'ok']);
    const readings = await counterReadings(home, batchId, true);
    expect(readings).toEqual(unhurt.filter((i) => outcome[i]?.model === COUNTER).map(() => COUNTS));
    expect(await repeatedCalls(home, batchId)).toEqual([]);

    await everyFaultIsAnEvent(batchId, injected);
    const bySelf = `select detail from events where kind = 'service_failed' and detail like 'worker %' and detail not like '%SIGKILL%'`;
    expect(await home.sql(bySelf), 'workers end by our kills alone').toEqual([]);
    await nothingIsLeft();
    const counted = KINDS.map((kind) => `${injected.filter((fault) => fault.kind === kind).length} ${kind}`);
    console.info(
      `${injected.length} faults: ${[...new Set(counted)].join(', ')}; ${RUNS - unhurt.length} of ${RUNS} runs lost a command`,
    );
  },
  LIMIT_MS,
);

/** Faults at random moments until there were enough, or nothing is left to be hurt. */
async function storm(batchId: string): Promise<InjectedFault[]> {
  const { random } = targets;
  const injected: InjectedFault[] = [];
  // Each kind at least once, then as chance has it.
  const order = [...KINDS].sort(() => random() - 0.5);
  while (injected.length < FAULTS && !(await hasEnded(batchId))) {
    await sleep(500 + random() * 2_500);
    const fault = await inject(order[0] ?? pick(random, KINDS), targets);
    if (fault === null) continue;
    injected.push(fault);
    order.shift();
  }
  expect(injected.length).toBeGreaterThanOrEqual(FAULTS / 2);
  return injected;
}

async function everyFaultIsAnEvent(batchId: string, injected: readonly InjectedFault[]): Promise<void> {
  // The worker makes events of what the supervisor wrote down in its next round.
  await until('deaths of services are events', async () => {
    for (const service of SERVICES) {
      const [{ count } = { count: '0' }] = await home.sql<{ count: string }>(
        `select count(*) from events where kind = 'service_failed' and detail like $1`,
        [`${service} %`],
      );
      if (Number(count) < injected.filter((fault) => fault.kind === service).length) return false;
    }
    return true;
  });
  for (const { runId, at, kind } of injected.filter((fault) => fault.runId !== undefined)) {
    const events = await home.sql(
      `select 1 from events where run_id = $1 and kind in ('sandbox_restarted', 'sandbox_lost', 'command_lost')`,
      [runId],
    );
    // It may have been on its way out: no command was begun in the container any more.
    const later = await home.sql(
      'select 1 from steps where run_id = $1 and created_at > $2 and requested is null and executed_at is not null',
      [runId, at],
    );
    if (later.length > 0) expect(events.length, `${kind} of ${runId} has an event`).toBeGreaterThan(0);
  }
  if (injected.some((fault) => fault.kind === 'engine_away' || fault.kind === 'worker'))
    expect(await count(batchId, 'activity_retried')).toBeGreaterThan(0);
  const [failed] = await home.sql<{ count: string }>(
    `select count(*) from model_calls c join runs r using (run_id) where r.batch_id = $1 and c.error not in ('not_sent', 'lost')`,
    [batchId],
  );
  expect(await count(batchId, 'provider_error')).toBe(Number(failed?.count));
  expect(Number(failed?.count)).toBeGreaterThan(0);
}

const count = async (batchId: string, kind: string): Promise<number> => {
  const [row] = await home.sql<{ count: string }>('select count(*) from events where batch_id = $1 and kind = $2', [
    batchId,
    kind,
  ]);
  return Number(row?.count);
};

/** No container of these runs, no lease, no file system in a file. */
async function nothingIsLeft(): Promise<void> {
  const runs = new Set((await home.sql<{ run_id: string }>('select run_id from runs')).map((run) => run.run_id));
  await until('containers of ended runs are gone', async () => {
    const containers = await targets.docker.listContainers({ all: true });
    return !containers.some((one) => runs.has(one.Labels['bench.run'] ?? ''));
  });
  await until('their folders are gone', () => {
    mkdirSync(join(home.dir, 'runs'), { recursive: true });
    return execFileSync('find', [join(home.dir, 'runs'), '-mindepth', '1'], { encoding: 'utf8' }) === '';
  });
  expect(await home.sql('select 1 from leases where released_at is null')).toEqual([]);
}

const hasEnded = async (batchId: string): Promise<boolean> => {
  const [batch] = await home.sql<{ status: string }>('select status from batches where batch_id = $1', [batchId]);
  return batch?.status === 'ended';
};

const untilEnded = (batchId: string): Promise<void> =>
  until(`batch ${batchId} has ended`, () => hasEnded(batchId), 1_800_000);

async function until(what: string, condition: () => boolean | Promise<boolean>, limitMs = 180_000): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await condition())) {
    if (Date.now() > deadline)
      throw new Error(`still not so after ${limitMs / 1000} s: ${what}\n${(await home.run('status')).stdout}`);
    await sleep(500);
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
