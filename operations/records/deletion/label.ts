import { BenchError } from '../../../domain/errors.js';
import type { Deletion } from '../../../domain/ports/deletion.js';
import type { BatchReads } from '../../../domain/ports/reading/batches.js';
import type { RunReads } from '../../../domain/ports/reading/runs.js';
import { checkedRequest } from '../../../domain/requests/checked.js';
import { type LabelRequest, labelRequestSchema } from '../../../domain/requests/deletion.js';
import type { ArchivedDocument, LabelsDocument } from '../../../domain/views/deletion.js';

export interface LabelPorts {
  deletion: Pick<Deletion, 'archive' | 'label'>;
  queries: Pick<RunReads, 'findRun'> & Pick<BatchReads, 'findBatch'>;
}

/** Lists and leaderboards over all batches omit archived ones. */
export async function archiveBatch(
  ports: LabelPorts,
  ref: string,
  { undo = false }: { undo?: boolean } = {},
): Promise<ArchivedDocument> {
  const { batchId, endedAt } = await ports.queries.findBatch(ref);
  if (endedAt === null && !undo)
    throw new BenchError('usage', `batch ${batchId} has not ended, so it cannot be archived`, {
      remedy: `Wait, or cancel it first: \`bench cancel ${batchId}\`.`,
    });
  await ports.deletion.archive(batchId, !undo);
  const { archivedAt } = await ports.queries.findBatch(batchId);
  return { batchId, archivedAt };
}

/** Without a change, what is there. */
export async function labelBatch(ports: LabelPorts, ref: string, request: LabelRequest = {}): Promise<LabelsDocument> {
  const { batchId, tags } = await ports.queries.findBatch(ref);
  await ports.deletion.label({ batchId }, changed(tags, request));
  const { note, tags: now } = await ports.queries.findBatch(batchId);
  return { id: batchId, note, tags: now };
}

export async function labelRun(ports: LabelPorts, ref: string, request: LabelRequest = {}): Promise<LabelsDocument> {
  const { runId, tags } = await ports.queries.findRun(ref);
  await ports.deletion.label({ runId }, changed(tags, request));
  const { note, tags: now } = await ports.queries.findRun(runId);
  return { id: runId, note, tags: now };
}

function changed(tags: readonly string[], input: LabelRequest): { note?: string | null; tags: string[] } {
  const { note, tag = [], untag = [] } = checkedRequest(labelRequestSchema, input);
  const now = [...new Set([...tags, ...tag])].filter((word) => !untag.includes(word)).sort();
  return { ...(note === undefined ? {} : { note: note === '' ? null : note }), tags: now };
}
