import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchStatusReport } from '../db/index.js';
import { BenchError } from '../domain/errors.js';
import { batchWorkflowId } from '../domain/queues.js';
import type { CliContext } from './context.js';
import { isOutage } from './errors.js';
import { ServicesDown } from '../services/index.js';
import { LiveView } from './live-view.js';
import { MOST_LISTED_RUNS } from './render/watch.js';

const POLL_MS = 500;
/** A large batch is a large question. */
const SLOW_POLL_MS = 2000;
/** How often the services themselves are looked after, and the batch's workflow is asked for. */
const CHECK_MS = 10_000;
/** After its last run a batch has its own end still to be written; it is not waited for longer than this, however busy the machine. */
const LAST_WRITE_MS = 120_000;

export interface Followed {
  report: BatchStatusReport | null;
  /** Ctrl-C: the batch goes on without us. */
  detached: boolean;
}

const isOver = (report: BatchStatusReport): boolean => report.status === 'ended' || report.status === 'cancelled';

/** The batch's workflow runs, or may be running: only a clear answer counts. */
async function workflowIsClosed(context: CliContext, batchId: string): Promise<boolean> {
  try {
    const client = await context.temporal();
    const description = await client.workflow.getHandle(batchWorkflowId(batchId)).describe();
    return description.status.name !== 'RUNNING';
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return true;
    return false;
  }
}

/**
 * Show a batch until it is over or Ctrl-C is pressed. Services that stop answering are started again and waited for: the
 * runs go on from where they were, and so does this.
 */
export async function followBatch(context: CliContext, batchId: string, where: 'stdout' | 'stderr'): Promise<Followed> {
  const interrupt = context.onInterrupt();
  // A command that waits was allowed to start the services; it does not undo a `bench down` that was said meanwhile.
  await context.database();
  context.looksOnly();
  const view = new LiveView(context.output, where);
  let report: BatchStatusReport | null = null;
  let allEndedAt: number | null = null;
  let outage = false;
  let closedChecks = 0;
  let nextCheck = Date.now() + CHECK_MS;
  try {
    while (!interrupt.aborted) {
      try {
        const database = await context.database();
        report = await database.queries.batchStatus(batchId);
        if (outage) {
          outage = false;
          view.notice('The services answer again; the runs go on from where they were.');
        }
        view.show(report);
        if (report.ended === report.runs) allEndedAt ??= Date.now();
        const noMoreToCome = allEndedAt !== null && Date.now() - allEndedAt > LAST_WRITE_MS;
        if (isOver(report) || noMoreToCome) return { report, detached: false };
        if (Date.now() >= nextCheck) {
          nextCheck = Date.now() + CHECK_MS;
          await context.refreshServices();
          closedChecks = (await workflowIsClosed(context, batchId)) ? closedChecks + 1 : 0;
          if (closedChecks >= 2) {
            // Nothing is left to be done: only its end was not written.
            if (allEndedAt !== null) return { report, detached: false };
            throw new BenchError('failed', `batch ${batchId} stands still: its workflow is not running`, {
              remedy: `\`bench resume ${batchId}\` goes on with its unfinished runs.`,
            });
          }
        }
      } catch (error) {
        if (error instanceof ServicesDown)
          throw new BenchError('services', `${error.message}: batch ${batchId} stands still`, {
            remedy: `\`bench up\` starts them, and the batch goes on; \`bench watch ${batchId}\` looks on.`,
          });
        if (!isOutage(error)) throw error;
        if (!outage) {
          outage = true;
          const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
          view.notice(
            `The services do not answer (${reason}); trying to bring them back. Nothing is lost; Ctrl-C leaves.`,
          );
        }
        await context.reconnect();
      }
      const pause = report !== null && report.runs > MOST_LISTED_RUNS ? SLOW_POLL_MS : POLL_MS;
      await sleep(pause, undefined, { signal: interrupt }).catch(() => undefined);
    }
    return { report, detached: true };
  } finally {
    view.end();
  }
}

/** What to say to somebody who pressed Ctrl-C while a batch was running. */
export const detachedAdvice = (batchId: string): string =>
  [
    'Left; the batch goes on in the background.',
    `  bench watch ${batchId}    look on`,
    `  bench resume ${batchId}   go on after the services were stopped`,
    `  bench cancel ${batchId}   stop it`,
  ].join('\n');
