export interface Rounds {
  /** Resolves when the current round has ended. */
  stop(): Promise<void>;
}

/** Rounds never overlap, even if one exceeds the interval. */
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
