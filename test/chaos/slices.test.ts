import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSupervisor } from '../../backends/local/run-world.js';
import { resolveModels } from '../../catalog/index.js';
import { homeLayout } from '../../domain/home/layout.js';
import { runWorkflowId } from '../../domain/run/queues.js';
import type { Bench } from '../../operations/bench.js';
import { identify } from '../../services/process-identity.js';
import {
  playPolicy,
  startProviderSimulator,
  type Behaviour,
  type ProviderSimulator,
} from '../fakes/provider-simulator/index.js';
import { BenchHome } from '../setup/bench-home.js';
import { benchOf } from '../setup/bench-of.js';
import { LONG } from '../setup/long.js';
import { pick, seededRandom } from '../setup/random.js';
import { killOnce, killService, pauseService, type Victim } from './kill-service.js';

// The moments come from this seed; BENCH_CHAOS_SEED tries others.
const SEED = Number(process.env['BENCH_CHAOS_SEED'] ?? 20);
const SLICES = LONG ? 200 : 2;
const RUNS = LONG ? 6 : 2;
const STEPS = LONG ? 60 : 15;
const LONGEST_FREEZE_MS = LONG ? 90_000 : 8_000;
const SHORTEST_FREEZE_MS = 5_000;
const LIMIT_MS = LONG ? 4 * 3_600_000 : 900_000;

const SERVICES: Victim[] = ['worker', 'temporal', 'postgres'];
/** In the short form each kind once, in an order of the seed. */
const KINDS = ['worker', 'temporal', 'postgres', 'sandbox', 'frozen'] as const;
type Kind = (typeof KINDS)[number];

const random = seededRandom(SEED);
const play = playPolicy(`counter:${STEPS}`);
/** Slow enough that many a fault finds a call in flight. */
const unhurried: Behaviour = async (request) => {
  await sleep(100 + 600 * random());
  return play(request);
};

let simulator: ProviderSimulator;
let home: BenchHome;
let bench: Bench;
beforeAll(async () => {
  const [model] = resolveModels([join(import.meta.dirname, '../../configs')], ['gpt-4o']);
  const rates = model!.config!.prices.at(-1)!;
  const of = (rate: string | undefined) => Number(rate ?? rates.input);
  const [cachedInput, cacheWrite] = [of(rates.cachedInput), of(rates.cacheWrite)];
  const price = { input: of(rates.input), cachedInput, cacheWrite, output: of(rates.output) };
  simulator = await startProviderSimulator({ behaviour: unhurried, priceOf: () => price });
  home = new BenchHome({ OPENAI_API_KEY: 'sk-slices', OPENAI_BASE_URL: simulator.openAiBaseUrl });
  bench = benchOf(home);
});
afterAll(async () => {
  await bench.close();
  await home.remove();
  await simulator.close();
});

/** What was done to the runs whose slices were under way. */
interface Hit {
  kind: Kind;
  /** Runs; of the services', all that play. */
  runs: string[];
  from: Date;
  /** When it was killed, or continued. */
  to: Date;
}

it(
  `${SLICES} slices that are killed or frozen repeat no command and no paid answer (seed ${SEED})`,
  async () => {
    const hits: Hit[] = [];
    const batches: string[] = [];
    const kinds: Kind[] = [];
    while (slicesOf(hits) < SLICES) {
      const batchId = await submit();
      batches.push(batchId);
      while (!(await isOver(batchId))) {
        await sleep(1_000 + 3_000 * random());
        if (slicesOf(hits) >= SLICES) continue;
        if (kinds.length === 0) kinds.push(...shuffled(KINDS));
        const hit = await strike(kinds.at(-1)!, await slicesUnderWay(batchId));
        if (hit === null) continue;
        kinds.pop();
        hits.push(hit);
      }
      await checkCommands(batchId);
    }
    await report(hits, batches);
    await checkBill();
  },
  LIMIT_MS,
);

const slicesOf = (hits: readonly Hit[]): number => hits.reduce((sum, { runs }) => sum + runs.length, 0);

const shuffled = (kinds: readonly Kind[]): Kind[] =>
  kinds
    .map((kind) => ({ kind, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ kind }) => kind);

async function submit(): Promise<string> {
  const { batchId } = await home.json<{ batchId: string }>(
    ...['submit', '--models', 'gpt-4o', '--tasks', 'battleOfSexes', '--attempts', String(RUNS), '--backend', 'local'],
    ...['--concurrency', String(RUNS), '--max-steps', String(STEPS + 10)],
  );
  return batchId;
}

async function isOver(batchId: string): Promise<boolean> {
  const [batch] = await home.sql<{ status: string }>('select status from batches where batch_id = $1', [batchId]);
  return batch?.status === 'ended';
}

/** Runs that a worker plays in a slice now, by Temporal; none while that is away. */
async function slicesUnderWay(batchId: string): Promise<string[]> {
  const runs = await home.sql<{ run_id: string }>(
    "select run_id from runs where batch_id = $1 and status = 'running'",
    [batchId],
  );
  try {
    const { workflow } = await bench.temporal();
    const playing = runs.map(async ({ run_id: runId }) => {
      const { raw } = await workflow.getHandle(runWorkflowId(runId)).describe();
      const slices = (raw.pendingActivities ?? []).filter(
        ({ activityType, lastStartedTime }) => activityType?.name === 'playSteps' && lastStartedTime != null,
      );
      return slices.length > 0 ? [runId] : [];
    });
    return (await Promise.all(playing)).flat();
  } catch {
    await bench.reconnect().catch(() => undefined);
    return [];
  }
}

/** Null: there was nothing of that kind to strike at this moment. */
async function strike(kind: Kind, playing: string[]): Promise<Hit | null> {
  if (playing.length === 0) return null;
  const from = new Date();
  if (kind === 'sandbox') {
    const runId = pick(random, playing);
    return (await killSandbox(runId)) ? { kind, runs: [runId], from, to: new Date() } : null;
  }
  const ms = SHORTEST_FREEZE_MS + (LONGEST_FREEZE_MS - SHORTEST_FREEZE_MS) * random();
  const done = kind === 'frozen' ? await pauseService(home, pick(random, SERVICES), ms) : killService(home, kind);
  return done ? { kind, runs: playing, from, to: new Date() } : null;
}

/** kill -9 of the supervisor in which a run's commands are executed. */
async function killSandbox(runId: string): Promise<boolean> {
  const [run] = await home.sql<{ epoch: number }>('select epoch from runs where run_id = $1', [runId]);
  const { control } = homeLayout(home.dir).run(runId, run?.epoch ?? 1);
  const record = await readSupervisor(control);
  const identity = record === null ? null : identify(record.pid);
  return identity !== null && killOnce(identity);
}

/**
 * Each command appends a line and counts the lines: a repeated command makes all later counts too
 * large. Commands lost with their sandbox may have appended theirs.
 */
async function checkCommands(batchId: string): Promise<void> {
  const runs = await home.sql<{ run_id: string; end_reason: string; lines: string[]; lost: boolean[] }>(
    `select r.run_id, r.end_reason, array_agg(trim(s.observation) order by s.step) as lines,
       array_agg(s.lost order by s.step) as lost
     from runs r join steps s using (run_id) where r.batch_id = $1 and s.requested is null group by r.run_id`,
    [batchId],
  );
  expect(runs.map(({ end_reason: reason }) => reason)).toEqual(Array(RUNS).fill('submit'));
  for (const { run_id: runId, lines, lost } of runs) {
    expect(lines, runId).toHaveLength(STEPS);
    let [least, most] = [0, 0];
    for (const [n, line] of lines.entries()) {
      most += 1;
      if (lost[n] === true) continue;
      expect(Number(line), `${runId}, step ${n + 1}`).toBeGreaterThan(least);
      expect(Number(line), `${runId}, step ${n + 1}`).toBeLessThanOrEqual(most);
      [least, most] = [Number(line), Number(line)];
    }
  }
}

/** Each paid call is on the bill once; another attempt at a call is another process's. */
async function checkBill(): Promise<void> {
  const calls = await home.sql<{ question: string; attempt: number; status: string; cost: string; worker: string }>(
    `select run_id || '/' || step || '/' || try as question, attempt, status, worker,
       trim_scale(cost_usd)::text as cost
     from model_calls order by question, attempt`,
  );
  const billed = new Map(simulator.bill.entries.map((entry) => [entry.callId, entry.costUsd]));
  const confirmed = calls.filter(({ status }) => status === 'confirmed');
  const named = (call: (typeof calls)[number]) => `${call.question}/${call.attempt}`;
  expect(confirmed.map(({ question }) => question)).toEqual([...new Set(calls.map(({ question }) => question))]);
  expect(confirmed.map((call) => [named(call), call.cost])).toEqual(
    confirmed.map((call) => [named(call), billed.get(named(call))]),
  );
  const paid = new Set(confirmed.map(named));
  const [ledger] = await home.sql<{ total: string }>('select trim_scale(sum(cost_usd))::text as total from runs');
  expect(ledger?.total).toBe(simulator.bill.total(({ callId }) => paid.has(callId ?? '')));
  // What was answered is requested again only when the process that would have stored it is gone.
  const again = calls.filter(
    (call, n) =>
      billed.has(named(call)) && calls[n + 1]?.question === call.question && calls[n + 1]?.worker === call.worker,
  );
  expect(again.map((call) => [named(call), call.status])).toEqual([]);
}

/** How soon after the last fault of a run its next step was recorded. */
async function report(hits: readonly Hit[], batches: readonly string[]): Promise<void> {
  const steps = await home.sql<{ run_id: string; at: Date }>(
    `select run_id, executed_at as at from steps join runs using (run_id)
     where batch_id = any ($1) and executed_at is not null order by executed_at`,
    [batches],
  );
  const waits: { kind: Kind; ms: number }[] = [];
  for (const [n, { kind, runs, to }] of hits.entries())
    for (const runId of runs) {
      const next = steps.find((step) => step.run_id === runId && step.at > to);
      // A service that is struck holds up each run, also those between two slices.
      const following = hits.slice(n + 1).find((hit) => hit.kind !== 'sandbox' || hit.runs.includes(runId));
      if (next !== undefined && !(following !== undefined && following.from < next.at))
        waits.push({ kind, ms: next.at.getTime() - to.getTime() });
    }
  const seconds = (of: typeof waits) => of.map(({ ms }) => ms / 1000).toSorted((a, b) => a - b);
  for (const kind of KINDS) {
    const all = seconds(waits.filter((wait) => wait.kind === kind));
    const median = all[Math.floor(all.length / 2)];
    if (median !== undefined)
      console.info(`${kind}: ${all.length} slices, next step after ${median} s (median), ${all.at(-1)} s (longest)`);
  }
  console.info(`${hits.length} faults, ${slicesOf(hits)} slices (seed ${SEED})`);
}
