import { follow } from '../operations/batches/follow.js';
import type { CliContext } from './context.js';
import { LiveView } from './live-view.js';
import type { BatchStatusReport } from '../domain/views/batches.js';

export interface Followed {
  report: BatchStatusReport | null;
  /** Ctrl-C: the batch continues without us. */
  detached: boolean;
}

/** It paused itself, and no run is under way. */
const waitsForPeople = ({ pauseReason, byStatus, status }: BatchStatusReport): boolean =>
  pauseReason !== null &&
  status === 'running' &&
  Object.entries(byStatus).every(([state, runs]) => runs === 0 || state === 'queued' || state === 'ended');

/** Shows a batch until it is over or Ctrl-C; `untilPaused`: or until it waits for people. */
export async function followBatch(
  context: CliContext,
  batchId: string,
  { where, untilPaused = false }: { where: 'stdout' | 'stderr'; untilPaused?: boolean },
): Promise<Followed> {
  const view = new LiveView(context.output, where);
  let report: BatchStatusReport | null = null;
  try {
    for await (const progress of follow(context, batchId, { signal: context.onInterrupt() }))
      switch (progress.kind) {
        case 'report':
          report = progress.report;
          view.show(report);
          if (untilPaused && waitsForPeople(report)) return { report, detached: false };
          break;
        case 'outage':
          view.notice(
            `The services do not answer (${progress.reason}); trying to restart them. Nothing is lost; Ctrl-C stops following.`,
          );
          break;
        case 'recovered':
          view.notice('The services answer again; the runs continue.');
          break;
        case 'over':
          return { report: progress.report, detached: false };
      }
    return { report, detached: true };
  } finally {
    view.end();
  }
}

export const detachedAdvice = (batchId: string): string =>
  [
    'The batch continues in the background.',
    `  bench watch ${batchId}    follow it again`,
    `  bench resume ${batchId}   continue it after the services were stopped`,
    `  bench cancel ${batchId}   stop it`,
  ].join('\n');
