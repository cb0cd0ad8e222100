import { defineSignal, setHandler } from '@temporalio/workflow';
import { SIGNAL, type BatchState } from '../domain/model/messages.js';
import type { Slots } from './run-slots.js';

const batchChanged = defineSignal(SIGNAL.batchChanged);
const shardEnded = defineSignal<[{ shard: number; runs: number }]>(SIGNAL.shardEnded);
const slotsReturned = defineSignal<[ReturnedSlots]>(SIGNAL.slotsReturned);

interface ReturnedSlots {
  shard: number;
  slots: number;
}

export interface BatchProgress {
  readonly batchId: string;
  readonly signals: BatchSignals;
  state: BatchState;
  readonly slots: Slots;
  waiting: number[];
  lastShard: number;
  readonly running: Map<number, Promise<void>>;
  cancelled: boolean;
  runs: number;
}

export interface BatchSignals {
  changed: boolean;
  readonly ended: Map<number, number>;
  /** Received before there were slots to return to. */
  readonly early: ReturnedSlots[];
  onReturn: (back: ReturnedSlots) => void;
}

/** Call before the first await: shards of an earlier start signal at once. */
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
