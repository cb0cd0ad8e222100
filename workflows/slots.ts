import type { CarriedBatch } from '../domain/model/messages.js';

/**
 * How many runs each shard may have in flight: one window over the whole batch, as pure state. Shards are filled in order of
 * submission: the first with runs left to start gets every free slot; a shard with none left returns its unused slots. So the
 * window is full as long as any run waits, wherever the slow runs are.
 */
export interface Slots {
  free: number;
  /** Running shards. `drains`: it has returned slots, so all its runs have started. */
  shards: Map<number, { held: number; drains: boolean }>;
}

export const createSlots = (concurrency: number): Slots => ({ free: concurrency, shards: new Map() });

/** As they were in the batch's history before this one; a window that has changed since is reached as runs end. */
export const carriedSlots = ({ shards, free, concurrency }: CarriedBatch, now: number): Slots => ({
  free: free + now - concurrency,
  shards: new Map(shards.map(({ shard, held, drains }) => [shard, { held, drains }])),
});

/** What to do with the free slots: more for a shard that runs, or a start for the next one; null: nothing. */
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

/** A shard returns slots for which it has no run. */
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

/** Returning slots in such steps keeps histories short, and leaves at most a sixteenth of the window unused. */
export const slotsPerReturn = (concurrency: number): number => Math.max(1, Math.floor(concurrency / 16));
