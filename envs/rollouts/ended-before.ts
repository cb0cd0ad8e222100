import type { ProgressEvents } from '../../domain/ports/progress-events.js';
import type { RolloutRow } from '../../domain/ports/rollouts.js';
import { isOutage } from '../../operations/as-bench-error.js';
import { endedRollout } from '../../operations/rollouts/collect.js';
import { rideOut } from '../ride-out.js';

/**
 * The rollout once it has ended; null: it is still running at `until` (milliseconds since 1970), or
 * the services are away then. An outage on the way does not prolong the wait, since its client does
 * not wait longer either.
 */
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
