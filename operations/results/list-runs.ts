import type { BatchReads } from '../../domain/ports/reading/batches.js';
import type { RunReads } from '../../domain/ports/reading/runs.js';
import { checkedRequest } from '../../domain/requests/checked.js';
import { type RunsRequest, runsRequestSchema } from '../../domain/requests/reading.js';
import type { RunsDocument } from '../../domain/views/runs.js';
import { type NamePorts, refuseUnknownNames } from './refuse-unknown-names.js';

export type ListRunsPorts = NamePorts & {
  queries: Pick<BatchReads, 'findBatch'> & Pick<RunReads, 'listRuns'>;
};

/** Newest first; `more`: there are others. BenchError: a name is unknown. */
export async function listRuns(ports: ListRunsPorts, input: RunsRequest = {}): Promise<RunsDocument> {
  const request = checkedRequest(runsRequestSchema, input);
  const { batch, models, tasks, status, endReason, flag, tag, limit } = request;
  const { queries } = ports;
  await refuseUnknownNames(ports, request);
  const found = await queries.listRuns({
    batchId: batch === undefined ? undefined : (await queries.findBatch(batch)).batchId,
    models,
    tasks,
    statuses: status === undefined ? undefined : [status],
    endReasons: endReason === undefined ? undefined : [endReason],
    flag,
    tag,
    limit: limit + 1,
  });
  return { runs: found.slice(0, limit), more: found.length > limit };
}
