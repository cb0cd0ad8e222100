import { BenchError } from '../../domain/errors.js';
import { type Replayed, replayTableOf } from '../../domain/recording-table.js';
import { checkedRequest } from '../../domain/requests/checked.js';
import { type ReplayTableRequest, replayTableRequestSchema } from '../../domain/requests/tasks.js';
import type { ReplayTable } from '../../domain/views/replay.js';
import type { Bench } from '../bench.js';
import { findRunOrBatch } from './find-run-or-batch.js';
import { replayReport } from './replay-report.js';

/** Why steps and final scores of replays differ from their recordings: of runs, and of all runs of batches that play recordings. */
export async function replayTable(bench: Bench, input: ReplayTableRequest): Promise<ReplayTable> {
  const { refs, noise } = checkedRequest(replayTableRequestSchema, input);
  const replayed: Replayed[] = [];
  for (const runId of await runsOf(bench, refs)) replayed.push(await replayedRun(bench, runId));
  return replayTableOf(replayed, noise ?? null);
}

async function runsOf(bench: Bench, refs: readonly string[]): Promise<string[]> {
  const { queries } = await bench.database();
  const ids = new Set<string>();
  for (const ref of refs) {
    const found = await findRunOrBatch(bench, ref);
    if (found.kind === 'run') ids.add(found.run.runId);
    else {
      const { runList: runs } = await queries.batchStatus(found.batch.batchId);
      const replays = runs.filter(({ modelKind }) => modelKind === 'replay');
      if (replays.length === 0)
        throw new BenchError('usage', `batch ${ref} does not play recordings`, {
          code: 'recording.not_found',
          remedy: 'Play some with `bench replay <folder>` and a task, or submit models `replay:<file>`.',
        });
      for (const { runId } of replays) ids.add(runId);
    }
  }
  return [...ids];
}

async function replayedRun(bench: Bench, runId: string): Promise<Replayed> {
  const { store } = await bench.database();
  const [report, { task }] = await Promise.all([replayReport(bench, runId), store.definition(runId)]);
  return { report, standardError: task.baseline?.standardError ?? 0 };
}
