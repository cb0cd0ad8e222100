export interface Rounds {
  /** No other begins. Resolves when the one that is under way has ended. */
  stop(): Promise<void>;
}

/** Never overlaps with itself, even if a round takes longer than the interval. */
export function every(ms: number, work: () => Promise<unknown>): Rounds {
  let running: Promise<unknown> | null = null;
  const timer = setInterval(() => void (running ??= work().finally(() => (running = null))), ms);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
