import type { SubmittedBatch } from '../../operations/batches/batch-plan.js';
import type { SubmittedDocument } from '../../domain/views/submissions.js';
import { remedyText } from './remedy.js';

/** The JSON form that scripts rely on; a dry run has no ids. */
export const submittedDocument = (batch: SubmittedBatch, dryRun: boolean): SubmittedDocument => ({
  batchId: dryRun ? null : batch.batchId,
  dryRun,
  existing: batch.existing === true,
  name: batch.name,
  allocation: batch.allocation ?? null,
  backend: batch.backend,
  skipped: (batch.skipped ?? []).map(({ fields, remedy, ...task }) => ({
    ...task,
    remedy: remedyText(remedy, fields),
  })),
  runs: batch.runs.map((run) => ({
    runId: dryRun ? null : run.runId,
    model: run.model.name,
    task: run.task.id,
    attempt: run.attempt,
    seed: run.seed,
    sample: run.sample === true,
    profile: run.task.profile ?? null,
  })),
});
