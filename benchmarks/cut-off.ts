/**
 * Sessions of killed trainers, cut off before, between and during actions: seconds from the end of
 * a session's idle time until its run has ended and its container is gone. At the end a server full
 * of new sessions must fit.
 *
 *   npm run benchmark:cut-off -- [--sessions 1000] [--trainers 12] [--capacity 64] [--idle 3]
 *     [--backend docker|local]
 */
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { connectEngine } from '../backends/docker/engine.js';
import { engineAddress } from '../backends/docker/engine-address.js';
import { RUN_LABEL } from '../backends/docker/labels.js';
import type { ServiceEndpoints } from '../domain/home/services.js';
import { quantile } from '../domain/statistics/quantile.js';
import { ServedEpisodes } from './served-episodes.js';
import { ThrowawayHome } from './throwaway-home.js';

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '1000' },
    trainers: { type: 'string', default: '12' },
    capacity: { type: 'string', default: '64' },
    idle: { type: 'string', default: '3' },
    backend: { type: 'string', default: 'docker' },
  },
});
const [sessions, trainers] = [Number(values.sessions), Number(values.trainers)];
const [capacity, idle] = [Number(values.capacity), Number(values.idle)];
/** Seconds, from the goals. */
const GOAL = 30;
const LOOK_EVERY_MS = 500;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Ended {
  run: string;
  /** End of its idle time, milliseconds since 1970; of its run, null: it is open. */
  grace: number;
  ended: number | null;
}

async function runsOf(database: pg.Client): Promise<Ended[]> {
  const { rows } = await database.query<Ended>(
    `select r.run_id as run, extract(epoch from e.expires_at)::float8 * 1000 as grace, extract(epoch from r.ended_at)::float8 * 1000 as ended
     from runs r join episodes e using (run_id)`,
  );
  return rows;
}

async function recordOf(database: pg.Client, { run, grace }: Ended): Promise<string> {
  const { rows } = await database.query<{ at: number; what: string }>(
    `select extract(epoch from at)::float8 * 1000 as at, what from (
       select created_at, 'created' from runs where run_id = $1
       union all select started_at, 'started' from runs where run_id = $1
       union all select requested_at, 'requested' from episodes where run_id = $1
       union all select created_at, 'action ' || seq from episode_actions where run_id = $1
       union all select ended_at, 'ended: ' || coalesce(end_reason, '') from runs where run_id = $1
       union all select at, kind || ': ' || detail from events where run_id = $1
     ) record (at, what) where at is not null order by at`,
    [run],
  );
  return rows.map(({ at, what }) => `  ${((at - grace) / 1000).toFixed(1).padStart(7)} ${what}\n`).join('');
}

/** When each run's container was last seen, milliseconds since 1970. */
class Containers {
  readonly lastSeen = new Map<string, number>();
  readonly #docker = connectEngine(engineAddress('docker', process.env));

  async look(): Promise<Set<string>> {
    const asked = Date.now();
    const all = await this.#docker.listContainers({ all: true, filters: { label: [RUN_LABEL] } });
    const runs = new Set(all.map(({ Labels: labels }) => labels[RUN_LABEL] ?? ''));
    for (const run of runs) this.lastSeen.set(run, asked);
    return runs;
  }
}

const mountsBelow = (dir: string): number =>
  readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .filter((line) => line.split(' ')[1]?.startsWith(`${dir}/runs/`)).length;

async function cutOff(server: ServedEpisodes, kind: number): Promise<void> {
  const id = await server.reset({ idle_s: idle });
  if (kind === 1) await server.step(id, 'true', 1);
  if (kind === 2) await server.begin(id, 'sleep 600', 1);
}

const summary = (seconds: number[]) => ({
  p50: quantile(seconds, 0.5),
  p95: quantile(seconds, 0.95),
  most: Math.max(...seconds),
});

async function measure(home: ThrowawayHome, server: ServedEpisodes, database: pg.Client) {
  const containers = new Containers();
  let next = 0;
  const trainer = async (): Promise<void> => {
    for (let n = next++; n < sessions; n = next++) await cutOff(server, n % 3);
  };
  let playing = true;
  const looking = (async () => {
    for (; playing; await sleep(LOOK_EVERY_MS)) await containers.look();
  })();
  await Promise.all(Array.from({ length: trainers }, trainer));
  playing = false;
  await looking;
  for (; ; await sleep(LOOK_EVERY_MS)) {
    const [runs, there] = [await runsOf(database), await containers.look()];
    const left = runs.filter(({ run, ended }) => ended === null || there.has(run));
    if (left.length === 0 && mountsBelow(home.dir) === 0) break;
  }
  const runs = await runsOf(database);
  const ended = runs.map(({ grace, ended: at }) => ((at ?? NaN) - grace) / 1000);
  const goneAfter = ({ run, grace }: Ended): number | undefined => {
    const seen = containers.lastSeen.get(run);
    return seen === undefined ? undefined : (seen + LOOK_EVERY_MS - grace) / 1000;
  };
  const gone = runs.flatMap((run) => goneAfter(run) ?? []);
  const late = runs.filter((run, i) => !((ended[i] ?? NaN) <= GOAL) || (goneAfter(run) ?? 0) > GOAL);
  for (const run of late)
    process.stderr.write(
      `late: ${run.run}, container gone after ${goneAfter(run)?.toFixed(1)} s\n${await recordOf(database, run)}`,
    );
  await Promise.all(Array.from({ length: capacity }, () => server.reset()));
  return {
    seconds: { runEnded: summary(ended), ...(gone.length > 0 && { containerGone: summary(gone) }) },
    containers: gone.length,
    later: [...ended, ...gone].filter((seconds) => !(seconds <= GOAL)).length,
  };
}

const home = new ThrowawayHome('cut-off');
try {
  const { databaseUrl } = await home.bench<ServiceEndpoints>('up');
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  const server = await ServedEpisodes.start(home, { capacity, maxSteps: 5, backend: values.backend });
  try {
    const load = loadavg()[0] ?? NaN;
    const figures = await measure(home, server, database);
    process.stderr.write(`${sessions} sessions cut off, ${trainers} at a time; load ${load.toFixed(1)} before\n`);
    for (const [what, { p50, p95, most }] of Object.entries(figures.seconds))
      process.stderr.write(
        `  ${what.padEnd(14)} ${[p50, p95, most].map((s) => s.toFixed(1).padStart(6)).join(' ')} s after the grace (p50, p95, most; goal ${GOAL})\n`,
      );
    process.stderr.write(
      `  later than that: ${figures.later} of ${sessions} runs and ${figures.containers} containers\n`,
    );
    process.stdout.write(
      `${JSON.stringify({ benchmark: 'cut-off', sessions, trainers, idle, backend: values.backend, load, ...figures })}\n`,
    );
  } finally {
    await server.stop();
    await database.end();
  }
} finally {
  await home.remove();
}
