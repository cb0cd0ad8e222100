import type { CarriedBatch } from '../domain/model/messages.js';

/**
 * Runs in flight by shard: one window over the batch, as pure state. The first shard with runs left
 * gets every free slot, and shards without any return theirs, so the window stays full while any
 * run waits.
 */
export interface Slots {
  free: number;
  /** `drains`: it has returned slots, so all its runs have started. */
  shards: Map<number, { held: number; drains: boolean }>;
}

export const createSlots = (concurrency: number): Slots => ({ free: concurrency, shards: new Map() });

/** As in the batch's previous history; a changed window is reached as runs end. */
export const carriedSlots = ({ shards, free, concurrency }: CarriedBatch, now: number): Slots => ({
  free: free + now - concurrency,
  shards: new Map(shards.map(({ shard, held, drains }) => [shard, { held, drains }])),
});

/** More for a running shard, or a start of the next; null: nothing. */
export function nextGrant(
  state: Slots,
  waiting: readonly number[],
): { shard: number; slots: number; start: boolean } | null {
  if (state.free <= 0) return null;
  const filling = [...state.shards].find(([, { drains }]) => !drains);
  const shard = filling?.[0] ?? waiting[0];
  if (shard === undefined) return null;
  return { shard, slots: state.free, start: filling === undefined };
}

export function grant(state: Slots, shard: number, slots: number): void {
  const known = state.shards.get(shard);
  state.free -= slots;
  if (known === undefined) state.shards.set(shard, { held: slots, drains: false });
  else known.held += slots;
}

export function giveBack(state: Slots, shard: number, slots: number): void {
  const known = state.shards.get(shard);
  if (known === undefined) return;
  // A shard of an earlier start may hold more than this start gave it.
  const own = Math.min(slots, known.held);
  known.held -= own;
  known.drains = true;
  state.free += own;
}

export function shardClosed(state: Slots, shard: number): void {
  state.free += state.shards.get(shard)?.held ?? 0;
  state.shards.delete(shard);
}

/** Steps keep histories short, and leave at most a sixteenth of the window unused. */
export const slotsPerReturn = (concurrency: number): number => Math.max(1, Math.floor(concurrency / 16));
