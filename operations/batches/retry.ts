import type { BatchControl } from '../../domain/ports/record/batch-control.js';
import type { RunDefinitions } from '../../domain/ports/record/run-definitions.js';
import { UNSCORED_ENDS, type EndReason } from '../../domain/run/outcomes.js';
import { findRunOrBatch } from '../results/find-run-or-batch.js';
import { appendAndStart, type AppendPorts } from './add-runs.js';
import { repeated } from './replacements.js';
import { shareFrozen, type ShareTasksPorts } from './share-tasks.js';

const BY_DEFAULT: readonly EndReason[] = ['infra_error'];

export type RetryPorts = Parameters<typeof findRunOrBatch>[0] &
  AppendPorts &
  ShareTasksPorts & {
    batchControl: Pick<BatchControl, 'replaceable'>;
    store: Pick<RunDefinitions, 'definition'>;
  };

export interface RetriedBatch {
  batchId: string;
  ends: readonly EndReason[];
  runs: { runId: string; replaces: string }[];
}

/** Repeats runs that infrastructure faults ended. `all`: every run whose end does not count. */
export async function retry(ports: RetryPorts, ref: string, { all }: { all: boolean }): Promise<RetriedBatch> {
  const found = await findRunOrBatch(ports, ref);
  const { batchControl, store } = ports;
  const batchId = found.kind === 'run' ? found.run.batchId : found.batch.batchId;
  const ends = all ? UNSCORED_ENDS : BY_DEFAULT;
  const old = await batchControl.replaceable(found.kind === 'run' ? { runId: found.run.runId } : { batchId }, ends);
  const runs = await Promise.all(
    old.map(async ({ runId }) => ({ ...repeated(await store.definition(runId)), replaces: runId })),
  );
  await shareFrozen(
    ports,
    runs.map(({ taskHash }) => taskHash),
  );
  if (runs.length > 0) await appendAndStart(ports, batchId, runs);
  return { batchId, ends, runs: runs.map(({ runId, replaces }) => ({ runId, replaces })) };
}
