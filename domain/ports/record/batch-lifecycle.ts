import type { BatchState } from '../../model/messages.js';
import type { RunTicket } from '../../run/run.js';

export interface BatchLifecycle {
  /** Unfinished runs of one shard, in submission order. */
  loadShard(batchId: string, shard: number): Promise<RunTicket[]>;
  startBatch(batchId: string): Promise<void>;
  batchState(batchId: string): Promise<BatchState>;
  /** Adds runs by the batch's allocation and records why. 0: it waits for runs, or is complete. */
  nextAttempts(batchId: string): Promise<number>;
  /**
   * `ended`: false, and no change, while a run is unfinished. `cancelled`: unfinished runs, which
   * must be stopped or not started, end as cancelled.
   */
  finishBatch(batchId: string, status: 'ended' | 'cancelled'): Promise<boolean>;
}
