import type pg from 'pg';
import type { ThrowawayHome } from '../throwaway-home.js';
import { round } from './batch-figures.js';

export interface RecoveryFigures {
  runs: number;
  /** From the kill, seconds. */
  workerStarted: number;
  /** From the new worker's start to the first stored step, seconds. */
  firstStep: number;
  /** From the new worker's start until every run had stored a step, seconds. */
  everyRun: number;
}

/** Kills the worker during a batch; its supervisor starts the next one. */
export async function measureRecovery(
  home: ThrowawayHome,
  database: pg.Client,
  { runs }: { runs: number },
): Promise<RecoveryFigures> {
  const { batchId } = await home.bench<{ batchId: string }>(
    ...['submit', '--models', 'scripted:counter:1000', '--tasks', 'battleOfSexes', '--backend', 'local'],
    ...['--attempts', String(runs), '--concurrency', String(runs), '--max-steps', '1001', '--snapshot-every', '0'],
  );
  const stepsOfRuns = async () => {
    const { rows } = await database.query<{ step: number }>(
      'select step from runs where batch_id = $1 order by run_id',
      [batchId],
    );
    return rows.map(({ step }) => step);
  };
  await until(async () => (await stepsOfRuns()).every((step) => step >= 3));
  const old = home.pid('worker');
  if (old === null) throw new Error('no worker runs');
  process.kill(old, 'SIGKILL');
  const killed = Date.now();
  const before = await stepsOfRuns();
  await until(() => Promise.resolve(![old, null].includes(home.pid('worker'))));
  const started = Date.now();
  const sinceStart = () => round((Date.now() - started) / 1000);
  await until(async () => (await stepsOfRuns()).some((step, i) => step > (before[i] ?? 0)));
  const firstStep = sinceStart();
  await until(async () => (await stepsOfRuns()).every((step, i) => step > (before[i] ?? 0)));
  const everyRun = sinceStart();
  await home.bench('cancel', batchId);
  return { runs, workerStarted: round((started - killed) / 1000), firstStep, everyRun };
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 600_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('what was waited for did not come in ten minutes');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
