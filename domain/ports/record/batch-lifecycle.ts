import type { BatchState } from '../../model/messages.js';
import type { RunTicket } from '../../run/run.js';

/** A batch's status and its unfinished runs. */
export interface BatchLifecycle {
  /** Runs of one shard of a batch that have not ended, in submission order. */
  loadShard(batchId: string, shard: number): Promise<RunTicket[]>;
  startBatch(batchId: string): Promise<void>;
  batchState(batchId: string): Promise<BatchState>;
  /** Runs that were added to a batch with an allocation; 0: it has unfinished runs, or needs no more. Writes down why. */
  nextAttempts(batchId: string): Promise<number>;
  /**
   * Fixes the batch's status and end time. `ended`: only if all its runs have ended, else nothing and false. `cancelled`: its runs
   * that have not ended, which must have been stopped or never started, end as cancelled.
   */
  finishBatch(batchId: string, status: 'ended' | 'cancelled'): Promise<boolean>;
}
