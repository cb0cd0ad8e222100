/**
 * What `bench env serve` adds to a trainer's time: a reset, the first command after it, and the
 * steps of many sessions that think between them.
 *
 *   npm run benchmark:episode-latency -- [--sessions 64] [--steps 50] [--think 5]
 *     [--backend docker|local]
 *
 * `health`: a request through front and server alone. `beside`: resets while others play.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { quantile } from '../domain/statistics/quantile.js';
import { cpuTimeMs } from './cpu-time.js';
import { ServedEpisodes } from './served-episodes.js';
import { ThrowawayHome } from './throwaway-home.js';

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '64' },
    steps: { type: 'string', default: '50' },
    think: { type: 'string', default: '5' },
    backend: { type: 'string', default: '' },
  },
});
const [sessions, steps, thinkMs] = [Number(values.sessions), Number(values.steps), Number(values.think) * 1000];
const ALONE = 30;
const ROUNDS = 5;
/** Milliseconds, from the goals. */
const TARGETS: Readonly<Record<string, number>> = {
  'reset alone p50': 20,
  'reset beside sessions p95': 50,
  'first command p50': 400,
  'step p50': 100,
  'step p95': 400,
  'forks of one step': 15_000,
};
/** Prints nothing and takes no time: the measured time is the platform's. */
const COMMAND = 'true';

const home = new ThrowawayHome('episodes');
const round = (ms: number): number => Math.round(ms * 10) / 10;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const many = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

async function timed<T>(times: number[], work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const result = await work();
  times.push(performance.now() - begun);
  return result;
}

interface Measured {
  times: Record<'health' | 'alone' | 'first' | 'beside' | 'burst' | 'step' | 'fork' | 'forked', number[]>;
  /** CPU time of a reset without actions and of a step, in total and by process. */
  cpuMs: Record<string, number>;
}

async function measure(server: ServedEpisodes, roots: Readonly<Record<string, number>>): Promise<Measured> {
  const cpu = (): number => cpuTimeMs(Object.values(roots));
  const each = (): number[] => Object.values(roots).map((root) => cpuTimeMs([root]));
  const times: Measured['times'] = {
    health: [],
    alone: [],
    first: [],
    beside: [],
    burst: [],
    step: [],
    fork: [],
    forked: [],
  };
  for (let round = 0; round < 3; round++) await server.end(await stepped(server, await server.reset()));
  for (let n = 0; n < ALONE; n++) {
    await timed(times.health, () => server.health());
    const id = await timed(times.alone, () => server.reset());
    await timed(times.first, () => server.step(id, COMMAND, 1));
    await server.end(id);
  }
  const before = cpu();
  for (let n = 0; n < ROUNDS; n++) {
    const ids = await many(sessions, () => timed(times.burst, () => server.reset()));
    await many(sessions, (index) => server.end(ids[index] ?? ''));
  }
  const afterResets = cpu();
  // The first step waits for the episode's sandbox: it is measured by itself.
  const ids = await many(sessions, async () => stepped(server, await server.reset()));
  const [begun, eachBegun] = [cpu(), each()];
  let playing = true;
  const besides = (async () => {
    for (; playing; await sleep(1000)) await server.end(await timed(times.beside, () => server.reset()));
  })();
  await many(sessions, async (index) => {
    await sleep((index / sessions) * thinkMs);
    for (let seq = 2; seq <= steps + 1; seq++) {
      await timed(times.step, () => server.step(ids[index] ?? '', COMMAND, seq));
      await sleep(thinkMs);
    }
  });
  playing = false;
  await besides;
  const step = (cpu() - begun) / (sessions * steps);
  const ofStep = each().map((ms, index) => (ms - (eachBegun[index] ?? 0)) / (sessions * steps));
  await many(sessions, (index) => server.end(ids[index] ?? ''));
  // Branches of one step, all played: until each has its observation, and a command's outcome.
  const trunk = await stepped(server, await server.reset());
  await timed(times.forked, async () => {
    const forks = await timed(times.fork, () => server.fork(trunk, 1, sessions));
    // Frees its place: a host has as many as there are forks.
    await server.end(trunk);
    await many(sessions, (index) => server.step(forks[index] ?? '', COMMAND, 1));
    await many(sessions, (index) => server.end(forks[index] ?? ''));
  });
  const parts = Object.keys(roots).map((name, index) => [`step: ${name}`, ofStep[index] ?? NaN] as const);
  return { times, cpuMs: { reset: (afterResets - before) / (ROUNDS * sessions), step, ...Object.fromEntries(parts) } };
}

async function stepped(server: ServedEpisodes, id: string): Promise<string> {
  await server.step(id, COMMAND, 1);
  return id;
}

try {
  const server = await ServedEpisodes.start(home, {
    // Abandoned episodes end a moment later.
    capacity: (ROUNDS + 2) * sessions + 10,
    maxSteps: steps + 2,
    backend: values.backend,
  });
  try {
    const services = (['worker', 'temporal', 'postgres'] as const).map((name) => [name, home.pid(name) ?? 0] as const);
    const { times, cpuMs } = await measure(server, { server: server.pid, ...Object.fromEntries(services) });
    const of = (name: keyof Measured['times'], q: number): number => round(quantile(times[name], q));
    const ms: Record<string, number> = {
      'health p50': of('health', 0.5),
      'reset alone p50': of('alone', 0.5),
      'reset beside sessions p95': of('beside', 0.95),
      'reset in a burst p95': of('burst', 0.95),
      'first command p50': of('first', 0.5),
      'step p50': of('step', 0.5),
      'step p95': of('step', 0.95),
      'forks of one step': of('fork', 0.5),
      'forks, each with a command': of('forked', 0.5),
    };
    const load = loadavg().map(round);
    process.stderr.write(`${sessions} sessions, ${steps} steps, ${thinkMs} ms of thought; load ${load.join(' ')}\n`);
    for (const [name, value] of Object.entries(ms)) {
      const target = TARGETS[name] === undefined ? '' : `   goal ${TARGETS[name]}`;
      const ratio = (value / (ms['health p50'] ?? NaN)).toFixed(1);
      process.stderr.write(
        `  ${name.padEnd(26)} ${value.toFixed(1).padStart(8)} ms   ${ratio.padStart(6)} x health${target}\n`,
      );
    }
    for (const [what, time] of Object.entries(cpuMs))
      process.stderr.write(`  ${`CPU time of a ${what}`.padEnd(26)} ${time.toFixed(1).padStart(8)} ms\n`);
    const result = {
      sessions,
      steps,
      thinkMs,
      ms,
      cpuMs: Object.fromEntries(Object.entries(cpuMs).map(([what, time]) => [what, round(time)])),
      load,
    };
    process.stdout.write(`${JSON.stringify({ benchmark: 'episode-latency', ...result })}\n`);
  } finally {
    await server.stop();
  }
} finally {
  await home.remove();
}
