import type { ProgressEvents } from '../../domain/ports/progress-events.js';
import type { EndedRollouts, RolloutRow, Rollouts } from '../../domain/ports/rollouts.js';

/** `announce_progress()` sends this when any rollout ends. */
const ANY_ROLLOUT = 'rollouts';

interface Wait {
  /** Milliseconds since 1970: a retry after an outage waits no longer than the first try. */
  until: number;
  signal?: AbortSignal;
}

/** Polls at each notification of this name until there is a result or time is up. */
async function untilThere<T>(
  progress: ProgressEvents,
  name: string,
  { until, signal }: Wait,
  look: () => Promise<T | null>,
): Promise<T | null> {
  for (;;) {
    // Subscribe before reading, so that no notification is missed.
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

/** Ended rollouts that were not acknowledged, by number; waits for the first one. */
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

/** Null: still running. */
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
