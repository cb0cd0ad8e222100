import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError } from '../../domain/errors.js';
import type { BatchControl } from '../../domain/ports/record/batch-control.js';
import type { CallLedger } from '../../domain/ports/record/call-ledger.js';
import type { RunDefinitions } from '../../domain/ports/record/run-definitions.js';
import { appendAndStart, type AppendPorts } from './add-runs.js';
import { continued } from './replacements.js';
import { shareFrozen, type ShareTasksPorts } from './share-tasks.js';

const POLL_MS = 1000;

export type ContinuePorts = AppendPorts &
  ShareTasksPorts & {
    batchControl: Pick<BatchControl, 'stoppedByOldBudget' | 'replaceable'>;
    store: Pick<RunDefinitions, 'definition'> & Pick<CallLedger, 'spending'>;
  };

/** Adds a continuing run for each run that the previous budget ended. Returns how many. */
export async function continueStopped(ports: ContinuePorts, batchId: string): Promise<number> {
  const { batchControl, store } = ports;
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
    ports,
    runs.map(({ taskHash }) => taskHash),
  );
  try {
    await appendAndStart(ports, batchId, runs);
    return runs.length;
  } catch (error) {
    // Another command has continued some of them. None is continued twice, so try the rest.
    const rest = await batchControl.replaceable({ batchId }, ['budget']);
    if (
      !(error instanceof BenchError && error.type === 'usage') ||
      runs.every((run) => rest.some(({ runId }) => runId === run.replaces))
    )
      throw error;
    return continueStopped(ports, batchId);
  }
}

export interface Ending {
  /** Runs that the old budget ended and that are still being evaluated. */
  ending: number;
  /** Runs continued since the last poll. */
  again: number;
}

/** Continues runs that the old budget stopped as their evaluations end, or until the abort. */
export async function* continueEnding(
  ports: ContinuePorts,
  batchId: string,
  signal: AbortSignal,
): AsyncGenerator<Ending, void, undefined> {
  for (;;) {
    // Counted first: runs that have ended by then are continued below.
    const ending = (await ports.batchControl.stoppedByOldBudget(batchId)).filter(({ ended }) => !ended).length;
    yield { ending, again: await continueStopped(ports, batchId) };
    if (ending === 0) return;
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
  }
}
