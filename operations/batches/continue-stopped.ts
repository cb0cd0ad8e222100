import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError } from '../../domain/errors.js';
import type { Bench } from '../bench.js';
import { appendAndStart } from './add-runs.js';
import { continued } from './replacements.js';
import { shareFrozen } from './share-tasks.js';

const POLL_MS = 1000;

/** Adds a continuing run for each run that the budget before the last raise ended. Returns how many. */
export async function continueStopped(bench: Bench, batchId: string): Promise<number> {
  const { batchControl, store } = await bench.database();
  const ofOld = new Set((await batchControl.stoppedByOldBudget(batchId)).map(({ runId }) => runId));
  const stopped = (await batchControl.replaceable({ batchId }, ['budget'])).filter(({ runId }) => ofOld.has(runId));
  const runs = await Promise.all(
    stopped.map(async ({ runId, lastStep }) => {
      const [definition, { confirmedUsd, tokens }] = await Promise.all([
        store.definition(runId),
        store.spending(runId),
      ]);
      return continued(definition, { lastStep, confirmedUsd, tokens });
    }),
  );
  if (runs.length === 0) return 0;
  await shareFrozen(
    bench,
    runs.map(({ taskHash }) => taskHash),
  );
  try {
    await appendAndStart(bench, batchId, runs);
    return runs.length;
  } catch (error) {
    // Another command continued some of them first. None is continued twice, so try the rest.
    const rest = await batchControl.replaceable({ batchId }, ['budget']);
    if (
      !(error instanceof BenchError && error.type === 'usage') ||
      runs.every((run) => rest.some(({ runId }) => runId === run.replaces))
    )
      throw error;
    return continueStopped(bench, batchId);
  }
}

export interface Ending {
  /** Runs that the old budget ended and that are still being evaluated. */
  ending: number;
  /** Runs continued since the last look. */
  again: number;
}

/** Continues runs stopped by the old budget as their evaluations end. Finishes when none is left, or the signal is aborted. */
export async function* continueEnding(
  bench: Bench,
  batchId: string,
  signal: AbortSignal,
): AsyncGenerator<Ending, void, undefined> {
  const { batchControl } = await bench.database();
  for (;;) {
    // Counted first: what has ended by then is continued below.
    const ending = (await batchControl.stoppedByOldBudget(batchId)).filter(({ ended }) => !ended).length;
    yield { ending, again: await continueStopped(bench, batchId) };
    if (ending === 0) return;
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
  }
}
