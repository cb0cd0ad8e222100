import { defineSignal, setHandler } from '@temporalio/workflow';
import { SIGNAL, type BatchState } from '../domain/model/messages.js';
import type { Slots } from './slots.js';

const batchChanged = defineSignal(SIGNAL.batchChanged);
const shardEnded = defineSignal<[{ shard: number; runs: number }]>(SIGNAL.shardEnded);
const slotsReturned = defineSignal<[ReturnedSlots]>(SIGNAL.slotsReturned);

interface ReturnedSlots {
  shard: number;
  slots: number;
}

/** What one execution knows of its batch. */
export interface BatchProgress {
  readonly batchId: string;
  readonly signals: BatchSignals;
  /** The batch's row as it was last read. */
  state: BatchState;
  readonly slots: Slots;
  /** Shards to start, in order. */
  waiting: number[];
  /** The last shard that was seen. */
  lastShard: number;
  readonly running: Map<number, Promise<void>>;
  cancelled: boolean;
  /** Played by shards that have ended. */
  runs: number;
}

export interface BatchSignals {
  /** The row has changed since it was read. */
  changed: boolean;
  /** Runs that each shard has played, of those that ended. */
  readonly ended: Map<number, number>;
  /** What came before there were slots to return to. */
  readonly early: ReturnedSlots[];
  onReturn: (back: ReturnedSlots) => void;
}

/** To be called before the first await: shards of an earlier start signal at once. */
export function receiveSignals(): BatchSignals {
  const early: ReturnedSlots[] = [];
  const signals: BatchSignals = {
    changed: false,
    ended: new Map(),
    early,
    onReturn: (back) => void early.push(back),
  };
  setHandler(batchChanged, () => {
    signals.changed = true;
  });
  setHandler(slotsReturned, (back) => signals.onReturn(back));
  setHandler(shardEnded, (end) => void signals.ended.set(end.shard, end.runs));
  return signals;
}
