import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { batchWorkflowId, runWorkflowId, shardWorkflowId } from '../../domain/run/queues.js';
import type { Bench } from '../../operations/bench.js';
import { answerTurn } from '../../operations/turns/answer-turn.js';
import { openTurns } from '../../operations/turns/open-turns.js';
import { BenchHome } from '../setup/bench-home.js';
import { benchOf } from '../setup/bench-of.js';
import { LONG } from '../setup/long.js';
import { pick, seededRandom } from '../setup/random.js';
import { pauseService } from './kill-service.js';
import { starveService } from './starved-service.js';

// The moments come from this seed; BENCH_CHAOS_SEED tries others.
const SEED = Number(process.env['BENCH_CHAOS_SEED'] ?? 20);
/** At least; one round has more than one. */
const HISTORIES = LONG ? 500 : 1;
const ATTEMPTS = LONG ? 3 : 2;
/** Counted, slow and played from outside; with the histories of a batch and its shard. */
const MODELS = ['scripted:counter:6', 'scripted:slow:3', 'external'];
const STEPS_OF_EXTERNAL = 3;
const BATCHES_AT_ONCE = LONG ? 2 : 1;
/** What a heartbeat and a workflow task survive, and what they do not. */
const FREEZES_MS = LONG ? [12_000, 70_000] : [12_000];
const STARVED_MS = 12_000;
/** Of the runs. */
const CANCELLED = 0.15;
const LIMIT_MS = LONG ? 4 * 3_600_000 : 900_000;

const random = seededRandom(SEED);
let home: BenchHome;
let bench: Bench;
beforeAll(() => {
  home = new BenchHome();
  bench = benchOf(home);
});
afterAll(async () => {
  await bench.close();
  await home.remove();
});

interface Submitted {
  batchId: string;
  runs: { runId: string }[];
}

it(
  `histories of a worker that is frozen and starved replay, and each run ends by itself (at least ${HISTORIES}, seed ${SEED})`,
  async () => {
    const failed: string[] = [];
    for (let histories = 0; histories < HISTORIES;) {
      const batches = await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, submit));
      await playUnderFaults(batches);
      for (const batch of batches) {
        await checkRuns(batch);
        const replayed = await replay(batch);
        histories += replayed.histories;
        failed.push(...replayed.failed);
      }
      console.info(`${histories} histories of starved workers, ${failed.length} failed to replay (seed ${SEED})`);
    }
    expect(failed).toEqual([]);
  },
  LIMIT_MS,
);

const submit = (): Promise<Submitted> =>
  home.json<Submitted>(
    ...['submit', '--models', MODELS.join(','), '--tasks', 'battleOfSexes', '--attempts', String(ATTEMPTS)],
    ...['--backend', 'local', '--concurrency', String(MODELS.length * ATTEMPTS)],
  );

/** Faults, answers and cancel requests at random moments, until all batches have ended. */
async function playUnderFaults(batches: readonly Submitted[]): Promise<void> {
  const isOver = async () => (await openBatches(batches)).length === 0;
  const answers = (async () => {
    while (!(await isOver())) {
      await sleep(100 + 400 * random());
      for (const { batchId } of batches) await answerSome(batchId);
    }
  })();
  const cancels = (async () => {
    for (const { runs } of batches)
      for (const { runId } of runs)
        if (random() < CANCELLED) {
          await sleep(1_000 * random());
          await home.run('cancel', runId);
        }
  })();
  for (let faults = 0; !(await isOver()); faults += 1) {
    await sleep(500 + 2_500 * random());
    // In their short form each once; then the rest is undisturbed.
    if (!LONG && faults > FREEZES_MS.length) continue;
    if (faults % 2 === 0) await pauseService(home, 'worker', pick(random, FREEZES_MS));
    else await starveService(home, 'worker', STARVED_MS);
  }
  await Promise.all([answers, cancels]);
}

async function openBatches(batches: readonly Submitted[]): Promise<unknown[]> {
  const ids = batches.map(({ batchId }) => batchId);
  return home.sql("select from batches where batch_id = any ($1) and status <> 'ended'", [ids]);
}

/** As a trainer does: by the library. */
async function answerSome(batchId: string): Promise<void> {
  for (const { runId, step, try: requery } of await openTurns(bench, batchId)) {
    const command = step > STEPS_OF_EXTERNAL ? 'submit' : `echo ${step} >> counter.txt; wc -l < counter.txt`;
    const reply = { text: `\`\`\`\n${command}\n\`\`\`` };
    // The run may have been cancelled in this moment.
    await answerTurn(bench, { runId, step, try: requery }, reply).catch((error: unknown) => {
      if (!String(error).includes('is not waiting for an answer')) throw error;
    });
  }
}

/** All ended as they would without faults, and no command was executed twice. */
async function checkRuns({ batchId, runs }: Submitted): Promise<void> {
  const rows = await home.sql<{ end_reason: string; cancelled: boolean; readings: string[] | null }>(
    `select r.end_reason, (select array_agg(trim(s.observation) order by s.step) from steps s
       where s.run_id = r.run_id and s.requested is null and s.action like '%counter.txt%' and s.executed_at is not null
         and s.exit_code = 0) as readings
     from runs r where r.batch_id = $1 and r.status = 'ended'`,
    [batchId],
  );
  expect(rows).toHaveLength(runs.length);
  for (const { end_reason: reason, readings } of rows) {
    expect(['submit', 'cancelled']).toContain(reason);
    expect(readings?.map(Number) ?? []).toEqual((readings ?? []).map((_, n) => n + 1));
  }
}

/** By the code that the worker has. */
async function replay({ batchId, runs }: Submitted): Promise<{ histories: number; failed: string[] }> {
  const codePath = resolve(import.meta.dirname, '../../dist/workflow-bundle.js');
  expect(readFileSync(codePath, 'utf8')).toContain('playSteps');
  const { workflow } = await bench.temporal();
  const ids = [batchWorkflowId(batchId), shardWorkflowId(batchId, 0), ...runs.map(({ runId }) => runWorkflowId(runId))];
  const histories = [];
  for (const workflowId of ids) {
    const handle = workflow.getHandle(workflowId);
    // A run that was cancelled before its shard began it has no workflow.
    const history = await handle.fetchHistory().catch((error: unknown) => {
      if ((error as Error).name !== 'WorkflowNotFoundError') throw error;
      return null;
    });
    if (history !== null) histories.push({ workflowId, history });
  }
  const failed: string[] = [];
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle: { codePath } }, histories))
    if (error !== undefined) failed.push(`${workflowId}: ${error.message}`);
  return { histories: histories.length, failed };
}
