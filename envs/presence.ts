/** Longest time between two writes that say the same: somebody is there. */
const SELDOM_MS = 20_000;
/** Of the time without a request after which an episode is given up. */
const SHARE = 10;
/** So many runs are remembered. What is forgotten is written once too often. */
const MOST = 10_000;

/** When it was last written of each run that its client is there, so that every request may say so, and few write. */
export interface Presence {
  /** It has been written now. */
  written(runId: string): void;
  /** Something else is written now: the next request says it again. */
  forget(runId: string): void;
  /** Is it to be written now? The answer yes is that it will be. */
  due(run: { runId: string; idleSeconds: number }): boolean;
}

export function openPresence(now: () => number = () => performance.now()): Presence {
  const last = new Map<string, number>();
  const written = (runId: string): void => {
    // Last in the map's order.
    last.delete(runId);
    last.set(runId, now());
    const [oldest] = last.keys();
    if (last.size > MOST && oldest !== undefined) last.delete(oldest);
  };
  return {
    written,
    forget: (runId) => void last.delete(runId),
    due({ runId, idleSeconds }) {
      const before = last.get(runId);
      if (before !== undefined && now() - before < Math.min(SELDOM_MS, (idleSeconds * 1000) / SHARE)) return false;
      written(runId);
      return true;
    },
  };
}
