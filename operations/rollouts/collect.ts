import type { ProgressEvents } from '../../domain/ports/progress-events.js';
import type { EndedRollouts, RolloutRow, Rollouts } from '../../domain/ports/rollouts.js';

/** What `announce_progress()` says when any rollout ends. */
const ANY_ROLLOUT = 'rollouts';

interface Wait {
  /**
   * Milliseconds since 1970: a repetition after an outage waits no longer than the first try would
   * have.
   */
  until: number;
  signal?: AbortSignal;
}

/** Looks, and again at each news of this name, until something is there or the time is over. */
async function untilThere<T>(
  progress: ProgressEvents,
  name: string,
  { until, signal }: Wait,
  look: () => Promise<T | null>,
): Promise<T | null> {
  for (;;) {
    // Before looking, so that nothing is missed between.
    const news = progress.next(name);
    try {
      const found = await look();
      const left = until - Date.now();
      if (found !== null || left <= 0 || signal?.aborted === true) return found;
      await news.within(left, signal);
    } finally {
      news.cancel();
    }
  }
}

/**
 * Rollouts that have ended and were not acknowledged, in the order of their numbers; waits for the
 * first one.
 */
export async function endedRollouts(
  { rollouts }: { rollouts: Pick<Rollouts, 'ended'> },
  progress: ProgressEvents,
  of: EndedRollouts,
  wait: Wait,
): Promise<RolloutRow[]> {
  const found = await untilThere(progress, ANY_ROLLOUT, wait, async () => {
    const rows = await rollouts.ended(of);
    return rows.length === 0 ? null : rows;
  });
  return found ?? [];
}

/** The rollout once it has ended; null: it is still running. */
export function endedRollout(
  { rollouts }: { rollouts: Pick<Rollouts, 'find'> },
  progress: ProgressEvents,
  runId: string,
  wait: Wait,
): Promise<RolloutRow | null> {
  return untilThere(progress, runId, wait, async () => {
    const row = await rollouts.find(runId);
    return row?.ended === true ? row : null;
  });
}
