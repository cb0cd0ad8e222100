/**
 * Who may have how many runs in flight: one window over the whole batch, as a pure state. Shards are filled one after another, in
 * order of submission: the first that still has runs to start gets every free slot; a shard with none left gives back what its
 * running runs do not hold. So the window is full as long as any run waits, wherever the slow ones are.
 */
export interface Slots {
  free: number;
  /** Shards that run. `drains`: it has given slots back, so all its runs are started. */
  shards: Map<number, { held: number; drains: boolean }>;
}

export const createSlots = (concurrency: number): Slots => ({ free: concurrency, shards: new Map() });

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

/** A shard has no run for these any more. */
export function giveBack(state: Slots, shard: number, slots: number): void {
  const known = state.shards.get(shard);
  if (known === undefined) return;
  // A shard that an earlier start of the batch left behind may have more than this one gave it.
  const own = Math.min(slots, known.held);
  known.held -= own;
  known.drains = true;
  state.free += own;
}

export function shardClosed(state: Slots, shard: number): void {
  state.free += state.shards.get(shard)?.held ?? 0;
  state.shards.delete(shard);
}

/** So many returns keep a shard's and its batch's history short, and at most a sixteenth of the window waits to be returned. */
export const slotsPerReturn = (concurrency: number): number => Math.max(1, Math.floor(concurrency / 16));
