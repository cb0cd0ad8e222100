import { connectTemporal } from '../../temporal/connect.js';
import type pg from 'pg';
import type { ServiceEndpoints } from '../../domain/home/services.js';
import { peakMemoryMb } from '../process-memory.js';
import type { ThrowawayHome } from '../throwaway-home.js';
import { batchFigures, type BatchFigures, round } from './batch-figures.js';
import { withStubbedWorker } from './with-stubbed-worker.js';

export interface LargeBatchFigures extends BatchFigures {
  /** Until the command line's answer: every run is stored and its workflow started. */
  acceptedSeconds: number;
  workerPeakMb: number | null;
  temporalPeakMb: number | null;
  /** Over all workflows of the batch, continued ones included. */
  largestHistory: { workflow: string; events: number; bytes: number };
}

/** Many short runs of empty commands, and their size in Temporal. `home`: see withStubbedWorker. */
export async function measureLargeBatch(
  home: ThrowawayHome,
  database: pg.Client,
  endpoints: ServiceEndpoints,
  { runs, concurrent }: { runs: number; concurrent: number },
): Promise<LargeBatchFigures> {
  return withStubbedWorker(home, endpoints, async (workerPid) => {
    const begun = Date.now();
    const { batchId } = await home.bench<{ batchId: string }>(
      ...['submit', '--models', 'scripted:counter:2', '--tasks', 'battleOfSexes', '--backend', 'local'],
      ...['--attempts', String(runs), '--concurrency', String(concurrent), '--max-steps', '2', '--snapshot-every', '0'],
    );
    const acceptedSeconds = round((Date.now() - begun) / 1000);
    await ended(database, batchId);
    return {
      acceptedSeconds,
      ...(await batchFigures(database, batchId)),
      workerPeakMb: peakMemoryMb(workerPid),
      temporalPeakMb: peakMemoryMb(home.pid('temporal')),
      largestHistory: await largestHistory(endpoints),
    };
  });
}

async function ended(database: pg.Client, batchId: string): Promise<void> {
  for (;;) {
    const { rows } = await database.query<{ status: string }>('select status from batches where batch_id = $1', [
      batchId,
    ]);
    if (rows[0]?.status === 'ended') return;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

async function largestHistory(endpoints: ServiceEndpoints): Promise<LargeBatchFigures['largestHistory']> {
  const client = await connectTemporal(endpoints, {});
  try {
    let largest = { workflow: '', events: 0, bytes: 0 };
    for await (const { workflowId, historyLength, historySize } of client.workflow.list()) {
      if (historyLength > largest.events)
        largest = { workflow: workflowId, events: historyLength, bytes: historySize ?? 0 };
    }
    return largest;
  } finally {
    await client.connection.close();
  }
}
