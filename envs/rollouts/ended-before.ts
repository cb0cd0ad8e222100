import type { ProgressEvents } from '../../domain/ports/progress-events.js';
import type { RolloutRow } from '../../domain/ports/rollouts.js';
import { isOutage } from '../../operations/as-bench-error.js';
import { endedRollout } from '../../operations/rollouts/collect.js';
import { rideOut } from '../ride-out.js';

/** Null: it still runs at `until` (ms since 1970), or services are away: clients wait no longer. */
export function endedBefore(
  bench: Parameters<typeof endedRollout>[0],
  progress: ProgressEvents,
  runId: string,
  wait: { until: number; signal?: AbortSignal },
): Promise<RolloutRow | null> {
  return rideOut(async () => {
    try {
      return await endedRollout(bench, progress, runId, wait);
    } catch (error) {
      if (isOutage(error) && Date.now() >= wait.until) return null;
      throw error;
    }
  });
}
