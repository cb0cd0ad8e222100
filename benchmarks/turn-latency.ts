/**
 * Time from an answer's commit to its command's start, for a run played from outside.
 *
 *   npm run benchmark:turn-latency -- [--turns 100] [--runs 1]
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { quantile } from '../domain/statistics/quantile.js';
import type { OpenTurn } from '../domain/ports/turns.js';
import { runWorkflowId } from '../domain/run/queues.js';
import { openBench } from '../operations/open-bench.js';
import { findAssetsRoot, readSettings } from '../operations/settings.js';
import { answerTurn } from '../operations/turns/answer-turn.js';
import { cpuTimeMs } from './cpu-time.js';
import { ThrowawayHome } from './throwaway-home.js';

const { values } = parseArgs({
  options: { turns: { type: 'string', default: '100' }, runs: { type: 'string', default: '1' } },
});
const [turnsEach, runs] = [Number(values.turns), Number(values.runs)];
const WARM_UP = 5;
/** Rarely: polling takes CPU from what is measured. */
const LOOK_MS = 100;
const PARTS = ['answer to command', 'answer to signal', 'signal to action', 'action to command'];

const home = new ThrowawayHome('turns');
const bench = openBench(readSettings({ ...process.env, ...home.env }, home.dir, findAssetsRoot()));
const round = (ms: number): number => Math.round(ms * 10) / 10;

/** Answers each turn of the batch as soon as it is requested, until all runs have ended. */
async function play(batchId: string): Promise<void> {
  const { turns, queries } = await bench.database();
  const answer = (turn: OpenTurn) => {
    const command = turn.step > turnsEach ? 'submit' : 'echo $EPOCHREALTIME';
    return answerTurn(bench, turn, { text: `\`\`\`\n${command}\n\`\`\`` });
  };
  for (;;) {
    const open = await turns.open({ batchId });
    await Promise.all(open.map(answer));
    if (open.length === 0 && (await queries.findBatch(batchId)).ended === runs) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

async function partsOf(runId: string): Promise<number[][]> {
  const { pool } = await bench.database();
  const { rows } = await pool.query<{ answered: number; taken: number; started: number }>(
    `select extract(epoch from t.replied_at)::float8 * 1000 as answered,
       extract(epoch from s.created_at)::float8 * 1000 as taken, s.observation::float8 * 1000 as started
     from turns t join steps s on s.run_id = t.run_id and s.step = t.step
     where t.run_id = $1 and t.step > $2 and t.step <= $3 order by t.step`,
    [runId, WARM_UP, turnsEach],
  );
  const client = await bench.temporal();
  const history = await client.workflow.getHandle(runWorkflowId(runId)).fetchHistory();
  const signals = (history.events ?? [])
    .filter((event) => event.workflowExecutionSignaledEventAttributes)
    .map((event) => Number(event.eventTime?.seconds) * 1000 + Number(event.eventTime?.nanos) / 1e6);
  return rows.map(({ answered, taken, started }) => {
    const signal = signals.find((at) => at >= answered) ?? NaN;
    return [started - answered, signal - answered, taken - signal, started - taken];
  });
}

try {
  await bench.services();
  const pids = (['worker', 'temporal', 'postgres'] as const).flatMap((service) => home.pid(service) ?? []);
  const batch = await home.bench<{ batchId: string; runs: { runId: string }[] }>(
    ...['submit', '--models', 'external', '--tasks', 'battleOfSexes', '--backend', 'local', '--snapshot-every', '0'],
    ...['--attempts', String(runs), '--concurrency', String(runs), '--max-steps', String(turnsEach + 1)],
  );
  const before = cpuTimeMs(pids);
  await play(batch.batchId);
  const cpuMs = round((cpuTimeMs(pids) - before) / (runs * (turnsEach + 1)));
  const times = (await Promise.all(batch.runs.map(({ runId }) => partsOf(runId)))).flat();
  const ms = Object.fromEntries(
    PARTS.map((part, i) => {
      const all = times.map((one) => one[i] ?? NaN);
      return [part, { p50: round(quantile(all, 0.5)), p95: round(quantile(all, 0.95)) }];
    }),
  );
  process.stderr.write(`${runs} run(s), ${times.length} turns, milliseconds; load ${loadavg()[0]?.toFixed(1)}\n`);
  for (const [part, { p50, p95 }] of Object.entries(ms))
    process.stderr.write(
      `  ${part.padEnd(20)} p50 ${p50.toFixed(1).padStart(8)}   p95 ${p95.toFixed(1).padStart(8)}\n`,
    );
  process.stderr.write(`  CPU of the services per turn ${cpuMs}\n`);
  process.stdout.write(`${JSON.stringify({ benchmark: 'turn-latency', runs, turns: times.length, ms, cpuMs })}\n`);
} finally {
  await bench.close();
  await home.remove();
}
