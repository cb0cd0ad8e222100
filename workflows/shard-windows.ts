/** How many shards run side by side, and how many runs each has in flight: together exactly `concurrency`. */
export function shardWindows(shards: number, concurrency: number): number[] {
  const parallel = Math.max(1, Math.min(shards, concurrency));
  return Array.from({ length: parallel }, (_, i) => Math.floor((concurrency + i) / parallel));
}
