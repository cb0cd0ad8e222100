import { UNSCORED_ENDS } from '../domain/run/outcomes.js';
import type { CliContext } from './context.js';
import { detachedAdvice, followBatch } from './follow-batch.js';
import { batchDocument, renderBatch } from './render/batch.js';
import { logPageLink } from './serve-page.js';
import type { BatchDocument, BatchStatusReport } from '../domain/views/batches.js';

/** All runs ended, none through infrastructure, configuration or a person's cancellation. */
export const wentWell = (report: BatchStatusReport): boolean =>
  report.runList.every((run) => run.endReason !== null && !UNSCORED_ENDS.includes(run.endReason));

/**
 * Progress until the batch is over or paused itself, then its state on stdout. Exit code 1 if a run
 * ended through no fault of the agent; 130 after Ctrl-C. Returns whether it is over.
 */
export async function waitForBatch(context: CliContext, batchId: string): Promise<boolean> {
  const { output } = context;
  await logPageLink(context, `/batches/${batchId}`);
  const { report, detached } = await followBatch(context, batchId, { where: 'stderr', untilPaused: true });
  if (report !== null) output.json(batchDocument(report) satisfies BatchDocument);
  if (detached || report === null) {
    output.log(detachedAdvice(batchId));
    context.setExitCode(130);
    return false;
  }
  if (!wentWell(report)) context.setExitCode(1);
  // On a terminal the last live table is this one already.
  if (!output.logInteractive || !output.interactive) output.print(renderBatch(report, output.colors));
  return report.ended === report.runs;
}
