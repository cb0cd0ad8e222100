/** Most time between two equal writes. */
const SELDOM_MS = 20_000;
/** Of the idle time limit. */
const SHARE = 10;
/** Remembered runs; a forgotten one costs one write. */
const MOST = 10_000;

/** When each run's presence was last written, so that few requests write it. */
export interface Presence {
  written(runId: string): void;
  /** Another write reset it: the next request writes again. */
  forget(runId: string): void;
  /** True: the caller writes it now. */
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
