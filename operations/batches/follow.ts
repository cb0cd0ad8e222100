import type { Client } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError } from '../../domain/errors.js';
import { ServicesDown } from '../../services/index.js';
import { batchIsClosed } from '../../temporal/batch-is-closed.js';
import { isOutage } from '../as-bench-error.js';
import type { BatchReads } from '../../domain/ports/reading/batches.js';
import type { BatchStatusReport } from '../../domain/views/batches.js';
import type { Blocker } from '../../domain/views/blocker.js';
import { blockerOfHome } from '../results/blocker.js';

const POLL_MS = 500;
const SLOW_POLL_MS = 2000;
const LARGE_BATCH_RUNS = 100;
/** How often to check the services and the batch's workflow. */
const CHECK_MS = 10_000;
/** How long to wait for Temporal; the rows are shown without it. */
const ANSWER_MS = 2000;
/** How long to wait for the batch's own end after its last run, even on a busy machine. */
const LAST_WRITE_MS = 120_000;
/** A worker restarts a missing workflow within two minutes: after these checks none does. */
const CLOSED_CHECKS = 18;

export type BatchProgress =
  | { kind: 'report'; report: BatchStatusReport }
  | { kind: 'outage'; reason: string }
  | { kind: 'recovered' }
  /** Comes last; missing if the signal was aborted before. */
  | { kind: 'over'; report: BatchStatusReport };

export type FollowPorts = Parameters<typeof blockerOfHome>[0] & {
  queries: Pick<BatchReads, 'batchStatus'>;
  databaseUrl(): Promise<unknown>;
  looksOnly(): void;
  refreshServices(): Promise<void>;
  reconnect(): Promise<void>;
  temporal(): Promise<Client>;
};

const isOver = (report: BatchStatusReport): boolean => report.status === 'ended' || report.status === 'cancelled';

/**
 * Follows a batch until it is over or the signal is aborted. Restarts services that stop answering
 * and waits for them. Throws BenchError if services were stopped on purpose, or the batch's
 * workflow is gone.
 */
export async function* follow(
  ports: FollowPorts,
  batchId: string,
  { signal }: { signal?: AbortSignal } = {},
): AsyncGenerator<BatchProgress, void, undefined> {
  // The caller may restart services, but must not undo a `bench down` given meanwhile.
  await ports.databaseUrl();
  ports.looksOnly();
  let report: BatchStatusReport | null = null;
  let allEndedAt: number | null = null;
  let outage = false;
  let closedChecks = 0;
  let nextCheck = Date.now() + CHECK_MS;
  let byHome: Blocker | null = null;
  while (signal?.aborted !== true) {
    try {
      const rows = await ports.queries.batchStatus(batchId);
      report = isOver(rows) ? rows : { ...rows, blockedBy: byHome ?? rows.blockedBy };
      if (outage) {
        outage = false;
        yield { kind: 'recovered' };
      }
      yield { kind: 'report', report };
      // A training batch may always get more runs.
      if (report.ended === report.runs && !report.training) allEndedAt ??= Date.now();
      const noMoreToCome = allEndedAt !== null && Date.now() - allEndedAt > LAST_WRITE_MS;
      if (isOver(report) || noMoreToCome) {
        yield { kind: 'over', report };
        return;
      }
      if (Date.now() >= nextCheck) {
        nextCheck = Date.now() + CHECK_MS;
        await ports.refreshServices();
        byHome = await blockerOfHome(ports, report);
        // The training server starts the runs; they have no batch workflow.
        closedChecks = !report.training && (await isClosed(ports, batchId)) ? closedChecks + 1 : 0;
        if (closedChecks >= (allEndedAt === null ? CLOSED_CHECKS : 2)) {
          if (allEndedAt === null) throw batchStalled(batchId);
          // All runs have ended; only the batch's end was not written.
          yield { kind: 'over', report };
          return;
        }
      }
    } catch (error) {
      if (error instanceof ServicesDown)
        throw new BenchError('services', `${error.message}: batch ${batchId} is stopped`, {
          code: 'services.down',
          remedy: `\`bench up\` starts them, and the batch continues; \`bench watch ${batchId}\` follows it.`,
        });
      if (!isOutage(error)) throw error;
      if (!outage) {
        outage = true;
        const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
        yield { kind: 'outage', reason };
      }
      await ports.reconnect();
    }
    const pause = report !== null && report.runs > LARGE_BATCH_RUNS ? SLOW_POLL_MS : POLL_MS;
    await sleep(pause, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  }
}

/** A server that does not answer does not count as closed. */
const isClosed = async (ports: Pick<FollowPorts, 'temporal'>, batchId: string): Promise<boolean> => {
  const late = new AbortController();
  const asked = ports.temporal().then((client) => batchIsClosed(client, batchId));
  const noAnswer = sleep(ANSWER_MS, false, { signal: late.signal });
  try {
    return await Promise.race([asked, noAnswer]);
  } catch {
    return false;
  } finally {
    noAnswer.catch(() => undefined);
    late.abort();
  }
};

const batchStalled = (batchId: string): BenchError =>
  new BenchError('failed', `batch ${batchId} makes no progress: its workflow is not running`, {
    code: 'batch.stalled',
    remedy: `\`bench resume ${batchId}\` continues its unfinished runs.`,
  });
