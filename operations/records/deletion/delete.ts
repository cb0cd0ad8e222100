import type { Deletion, RunsToDelete } from '../../../domain/ports/deletion.js';
import type { Pruning } from '../../../domain/ports/pruning.js';
import type { BatchReads } from '../../../domain/ports/reading/batches.js';
import type { RunReads } from '../../../domain/ports/reading/runs.js';
import { submissionFiles } from '../../../domain/run/stored-submission.js';
import type { DeletionDocument } from '../../../domain/views/deletion.js';
import { type ArtifactPorts, artifactsOf } from '../../artifacts.js';

export type DeletionPorts = ArtifactPorts & {
  deletion: Pick<Deletion, 'plan' | 'count' | 'bytes' | 'remove'>;
  pruning: Pick<Pruning, 'neededArtifacts' | 'forgetArtifacts'>;
  queries: Pick<RunReads, 'findRun'> & Pick<BatchReads, 'findBatch'>;
};

/** What would be deleted. */
export interface DeletionPlan extends Omit<DeletionDocument, 'deleted' | 'files'> {
  of: RunsToDelete;
}

/** Activities record within this time what they have stored. */
const YOUNGEST_MS = 3_600_000;

/** BenchError (usage): one has not ended, or others refer to it. */
export async function planRunDeletion(ports: DeletionPorts, refs: readonly string[]): Promise<DeletionPlan> {
  const runs = await Promise.all(refs.map((ref) => ports.queries.findRun(ref)));
  return planned(ports, await ports.deletion.plan({ runIds: runs.map(({ runId }) => runId) }), null);
}

/** The same, of a batch with its runs. */
export async function planBatchDeletion(ports: DeletionPorts, ref: string): Promise<DeletionPlan> {
  const { batchId } = await ports.queries.findBatch(ref);
  return planned(ports, await ports.deletion.plan({ batchId }), batchId);
}

async function planned(ports: DeletionPorts, of: RunsToDelete, batchId: string | null): Promise<DeletionPlan> {
  return { of, batchId, runIds: of.runIds, ...(await ports.deletion.count(of)) };
}

/** Rows first: after an interruption, `prune` removes files without a row. */
export async function deletePlanned(ports: DeletionPorts, plan: DeletionPlan): Promise<DeletionDocument> {
  const store = artifactsOf(ports);
  const { archives, manifests } = await ports.deletion.bytes(plan.of);
  const stored = new Set([...archives, ...manifests]);
  for (const manifest of manifests)
    for (const [, sha256] of (await submissionFiles(store, manifest)) ?? []) stored.add(sha256);
  await ports.deletion.remove(plan.of, plan.batchId);
  const files = { removed: 0, bytes: 0, kept: 0 };
  if (stored.size > 0) {
    const needed = await ports.pruning.neededArtifacts({ withoutOlderThanDays: null });
    const kept = new Set([...needed.archives, ...needed.manifests]);
    for (const manifest of needed.manifests)
      for (const [, sha256] of (await submissionFiles(store, manifest)) ?? []) kept.add(sha256);
    const before = new Date(Date.now() - YOUNGEST_MS);
    for await (const { name, sha256, bytes } of store.storedBefore(before)) {
      if (sha256 === null || !stored.has(sha256) || kept.has(sha256)) continue;
      if (!(await store.remove(name, before))) continue;
      files.removed += 1;
      files.bytes += bytes;
    }
    files.kept = stored.size - files.removed;
    await ports.pruning.forgetArtifacts();
  }
  const { of: _of, ...counts } = plan;
  return { deleted: true, ...counts, files };
}
