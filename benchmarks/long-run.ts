/**
 * Runs of many long outputs, replayed on the local backend: what a step reads from PostgreSQL and
 * its time, at step 100 and the last ones; the time of the end and of commands about such a run;
 * the memory of the worker, also with several such runs at once.
 *
 *   npm run benchmark:long-run -- [--steps 2000] [--bytes 100000] [--runs 8]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { quantile } from '../domain/statistics/quantile.js';
import type { ServiceEndpoints } from '../domain/home/services.js';
import { lightConfigs } from './light-configs.js';
import { type CommandFigures, measureCommand } from './long-run/commands.js';
import type { CountingRelay } from './long-run/counting-relay.js';
import { writeLongRecording } from './long-run/long-recording.js';
import { withRelayedWorker } from './long-run/relayed-worker.js';
import { forgetPeak, peakMemoryMb } from './process-memory.js';
import { ThrowawayHome } from './throwaway-home.js';

const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '2000' },
    bytes: { type: 'string', default: '100000' },
    runs: { type: 'string', default: '8' },
  },
});
const [steps, bytes, together] = [Number(values.steps), Number(values.bytes), Number(values.runs)];
const CONFIGS = resolve(import.meta.dirname, '../../configs');
/** Steps that a figure covers. */
const AROUND = 100;
const round = (value: number): number => Math.round(value * 10) / 10;

const home = new ThrowawayHome('long-run', { BENCH_WORKER: 'external', BENCH_SLOTS: String(together) });

/** The default agent, with the outputs of these commands shown whole. */
function writeAgent(configs: string): void {
  const agent = readFileSync(join(configs, 'agents/default.yaml'), 'utf8');
  writeFileSync(
    join(configs, 'agents/long-run.yaml'),
    agent.replace(/^observationLimit: .*$/m, 'observationLimit: 200000'),
  );
}

interface Played {
  runIds: string[];
  workerPeakMb: number | null;
  seconds: number;
  stepsPerSecond: number;
  /** From the last command to the end of the run, evaluation included; the maximum. */
  endSeconds: number;
}

async function play(database: pg.Client, recording: string, runs: number, pid: number | null): Promise<Played> {
  forgetPeak(pid);
  const { batchId, runs: submitted } = await home.bench<{ batchId: string; runs: { runId: string }[] }>(
    ...['submit', '--models', `replay:${recording}`, '--tasks', 'battleOfSexes', '--agent', 'long-run'],
    ...['--backend', 'local', '--attempts', String(runs), '--concurrency', String(runs)],
    ...['--max-steps', String(steps + 1), '--snapshot-every', '0', '--wait'],
  );
  const workerPeakMb = peakMemoryMb(pid);
  const { rows } = await database.query<{ steps: number; seconds: number; end: number; stored: number }>(
    `select sum(s.steps)::int as steps, extract(epoch from max(r.ended_at) - min(r.started_at))::float8 as seconds,
       max(extract(epoch from r.ended_at - s.last))::float8 as end, min(s.stored)::float8 as stored
     from runs r cross join lateral (
       select count(*) as steps, max(executed_at) as last, sum(octet_length(observation)) as stored
       from steps where run_id = r.run_id
     ) s where r.batch_id = $1`,
    [batchId],
  );
  const { steps: taken = 0, seconds = NaN, end = NaN, stored = 0 } = rows[0] ?? {};
  if (taken !== runs * (steps + 1) || stored < steps * bytes) throw new Error(`a run of batch ${batchId} did less`);
  return {
    runIds: submitted.map(({ runId }) => runId),
    ...{ workerPeakMb, seconds: round(seconds), stepsPerSecond: round(taken / seconds), endSeconds: round(end) },
  };
}

/**
 * Of the steps that end with `last`. Each slice begins by reading what its first prompt shows, the
 * same at any step: the median leaves that out, and the most says it.
 */
async function stepFigures(database: pg.Client, relay: CountingRelay, runId: string, last: number) {
  const { rows } = await database.query<{ at: Date }>(
    'select executed_at as at from steps where run_id = $1 and step between $2 and $3 order by step',
    [runId, last - AROUND, last],
  );
  const times = rows.map(({ at }) => at);
  const [from, to] = [times[0], times[AROUND]];
  if (from === undefined || to === undefined) throw new Error(`run ${runId} has no steps up to ${last}`);
  const read = times.slice(1).map((at, i) => relay.between(times[i]!, at) / 1000);
  return {
    step: last,
    kilobytesRead: round(quantile(read, 0.5)),
    mostKilobytesRead: round(Math.max(...read)),
    ms: round((to.getTime() - from.getTime()) / AROUND),
  };
}

async function measure(endpoints: ServiceEndpoints, database: pg.Client) {
  const recording = writeLongRecording(join(home.dir, 'long.traj'), { steps, bytes });
  return withRelayedWorker(home, endpoints, async ({ relay, pid }) => {
    const { runIds, ...one } = await play(database, recording, 1, pid);
    const [runId = ''] = runIds;
    const early = await stepFigures(database, relay, runId, AROUND + AROUND / 2);
    const late = await stepFigures(database, relay, runId, steps);
    process.stderr.write(`one run: ${JSON.stringify({ ...one, early, late })}\n`);
    const commands: CommandFigures[] = [];
    for (const command of [['show'], ['logs'], ['prompt', String(steps)], ['trajectory', '--from', String(steps)]]) {
      const [verb = '', ...rest] = command;
      commands.push(await measureCommand(home, [verb, runId, ...rest]));
      process.stderr.write(`${JSON.stringify(commands.at(-1))}\n`);
    }
    const { runIds: _, ...many } = await play(database, recording, together, pid);
    process.stderr.write(`${together} runs: ${JSON.stringify(many)}\n`);
    const readRatio = Math.round((late.kilobytesRead / early.kilobytesRead) * 100) / 100;
    return {
      readRatio,
      atStep: [early, late],
      runs: [
        { runs: 1, ...one },
        { runs: together, ...many },
      ],
      commands,
    };
  });
}

try {
  home.env['BENCH_CONFIGS'] = lightConfigs(CONFIGS, join(home.dir, 'configs'), 1);
  writeAgent(home.env['BENCH_CONFIGS']);
  const endpoints = await home.bench<ServiceEndpoints>('up');
  const database = new pg.Client({ connectionString: endpoints.databaseUrl });
  await database.connect();
  try {
    const figures = await measure(endpoints, database);
    process.stdout.write(
      `${JSON.stringify({ benchmark: 'long-run', steps, bytes, loadAtEnd: loadavg()[0], ...figures })}\n`,
    );
  } finally {
    await database.end();
  }
} finally {
  await home.remove();
}
