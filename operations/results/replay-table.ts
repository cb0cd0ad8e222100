import { BenchError } from '../../domain/errors.js';
import type { BatchReads } from '../../domain/ports/reading/batches.js';
import { type Replayed, replayTableOf } from '../../domain/recording/table.js';
import { checkedRequest } from '../../domain/requests/checked.js';
import { type ReplayTableRequest, replayTableRequestSchema } from '../../domain/requests/tasks.js';
import type { ReplayTable } from '../../domain/views/replay.js';
import { type FindPorts, findRunOrBatch } from './find-run-or-batch.js';
import { replayReport, type ReplayReportPorts } from './replay-report.js';

type ReplayedRunsPorts = FindPorts & { queries: Pick<BatchReads, 'batchStatus'> };

/** Why steps and final scores of replays differ from their recordings: of runs, and of all runs of batches that play recordings. */
export async function replayTable(
  ports: ReplayedRunsPorts & ReplayReportPorts,
  input: ReplayTableRequest,
): Promise<ReplayTable> {
  const { refs, noise } = checkedRequest(replayTableRequestSchema, input);
  const replayed: Replayed[] = [];
  for (const runId of await runsOf(ports, refs)) replayed.push(await replayedRun(ports, runId));
  return replayTableOf(replayed, noise ?? null);
}

async function runsOf(ports: ReplayedRunsPorts, refs: readonly string[]): Promise<string[]> {
  const ids = new Set<string>();
  for (const ref of refs) {
    const found = await findRunOrBatch(ports, ref);
    if (found.kind === 'run') ids.add(found.run.runId);
    else {
      const { runList: runs } = await ports.queries.batchStatus(found.batch.batchId);
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

async function replayedRun(ports: ReplayReportPorts, runId: string): Promise<Replayed> {
  const [report, { task }] = await Promise.all([replayReport(ports, runId), ports.store.definition(runId)]);
  return { report, standardError: task.baseline?.standardError ?? 0 };
}
